import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Contender, contenders } from "./contenders.ts";
import type { Suite } from "./suite.ts";

const [COLUMNS, ROWS] = [80, 24];
/** 50 tokens of text, and a line of code or a heading now and then. */
const CHUNK = `${"The quick brown fox jumps over the lazy dog and reads **some** of `its` mail. ".repeat(3)}\n\n`;
const TOKENS_PER_CHUNK = 50;
const CHUNKS = 2_000;
const KEY = "qzj";
const END = "endoftext";
const PATIENCE_MS = 180_000;

interface Run {
  readonly agent: string;
  readonly firstKeyMs: number;
  /** The same without the time that a busy machine gave to others. */
  readonly firstKeyCpuMs: number;
  readonly idleMb: number;
  readonly cpuSeconds: number;
  readonly afterMb: number;
  readonly bytesPerByte: number;
}

/** A conversation in a terminal of 80 × 24: start, an idle moment, and 100,000 tokens that are streamed. Beside pi. */
export const terminal: Suite = async ({ quick }) => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  const server = streamingServer();
  try {
    const url = await server.url;
    const entries = contenders(folder).flatMap((entry) => inTerminal({ ...entry, ...entry.startWith(url) }));
    const runs: Run[] = [];
    for (let round = 0; round < (quick ? 1 : 5); round++)
      for (const entry of entries) runs.push(await measured(entry, folder));
    const agents = entries.map(({ name }) => row(name, runs));
    return { rows: agents, result: { suite: "terminal", tokens: CHUNKS * TOKENS_PER_CHUNK, agents } };
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

type Started = Contender & ReturnType<Contender["startWith"]>;

/** The forms that have a terminal of their own. */
function inTerminal(entry: Started): readonly Started[] {
  if (entry.name === "native") return [entry, { ...entry, name: "native --plain", args: [...entry.args, "--plain"] }];
  return entry.name === "pi" ? [{ ...entry, args: ["--model", "fake/fake-model"] }] : [];
}

async function measured({ name, program, args, env }: Started, folder: string): Promise<Run> {
  const cwd = mkdtempSync(join(folder, "work-"));
  execFileSync("git", ["init", "-q", cwd]);
  const socket = join(mkdtempSync(join(folder, "t-")), "s");
  const tmux = (...words: readonly string[]) =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...words], {
      encoding: "utf8",
      env: { ...env, LANG: "C.UTF-8" },
    });
  const bytes = join(cwd, "..", `bytes-${Date.now()}`);
  const command = [program, ...args].map((word) => `'${word}'`).join(" ");
  try {
    tmux("new-session", "-d", "-x", String(COLUMNS), "-y", String(ROWS), "-c", cwd, "sh");
    tmux("pipe-pane", "-o", `cat > '${bytes}'`);
    const pid = Number(tmux("display-message", "-p", "#{pane_pid}"));
    const output = () => readFileSync(bytes, "utf8");
    const until = async (isThere: () => boolean, what: string) => {
      const end = performance.now() + PATIENCE_MS;
      while (!isThere()) {
        if (performance.now() > end) throw new Error(`${name} never showed ${what}:\n${tmux("capture-pane", "-p")}`);
        await sleep(5);
      }
    };
    await sleep(300);
    tmux("send-keys", "-l", `stty -echo; exec ${command}`);
    const started = performance.now();
    tmux("send-keys", "Enter");
    tmux("send-keys", "-l", KEY);
    // Drawn by the program itself: after it has taken over the terminal.
    await until(() => plainText(output().split("\u001b[?2004h").slice(1).join("")).includes(KEY), "the first key");
    const firstKeyMs = performance.now() - started;
    const firstKeyCpuMs = cpuSeconds(pid) * 1000;
    await sleep(1_500);
    const idleMb = memory(pid);
    const before = { cpu: cpuSeconds(pid), bytes: output().length };
    tmux("send-keys", "Enter");
    await until(() => output().includes(END), "the end of the text");
    await sleep(500);
    const written = readFileSync(bytes).length - before.bytes;
    return {
      agent: name,
      firstKeyMs,
      firstKeyCpuMs,
      idleMb,
      cpuSeconds: cpuSeconds(pid) - before.cpu,
      afterMb: memory(pid),
      bytesPerByte: written / (CHUNK.length * CHUNKS),
    };
  } finally {
    tmux("kill-server");
  }
}

// oxlint-disable-next-line no-control-regex -- control sequences
const plainText = (text: string) =>
  text.replaceAll(/\u001b(?:\[[\d;?<>=]*[A-Za-z]|\][^\u0007]*\u0007|_[^\u0007]*\u0007)/g, "");

const memory = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

const TICKS_PER_SECOND = 100;

/** Of the process with all its threads, without its children. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Speaks as much of OpenAI Chat Completions as the two ask for. */
function streamingServer() {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      if (!(request.url ?? "").includes("completions")) return void response.writeHead(404).end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      const event = (delta: object, finish_reason: string | null = null) =>
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
      void (async () => {
        for (let index = 0; index < CHUNKS; index++) {
          if (!response.write(event({ content: CHUNK })))
            await new Promise((resolve) => response.once("drain", resolve));
          await sleep(1);
        }
        response.end(`${event({ content: END })}${event({}, "stop")}data: [DONE]\n\n`);
      })();
    });
  });
  const url = new Promise<string>((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`);
    }),
  );
  return { url, close: () => server.close() };
}

function row(agent: string, runs: readonly Run[]) {
  const of = (field: Exclude<keyof Run, "agent">) =>
    median(runs.filter((run) => run.agent === agent).map((run) => run[field]));
  return {
    agent,
    firstKeyMs: Math.round(of("firstKeyMs")),
    firstKeyCpuMs: Math.round(of("firstKeyCpuMs")),
    idleMb: Math.round(of("idleMb")),
    cpuSeconds: Math.round(of("cpuSeconds") * 100) / 100,
    afterMb: Math.round(of("afterMb")),
    bytesPerByte: Math.round(of("bytesPerByte") * 100) / 100,
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
