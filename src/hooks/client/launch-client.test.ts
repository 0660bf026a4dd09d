import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { findDialect } from "../../agents/find-dialect.ts";
import type { HookOutput } from "../server-protocol.ts";
import { type HookRequest, type HookServer, openHookServer } from "../server.ts";
import { type HookClient, wrapperText } from "./wrappers.ts";

const TOKEN = "t".repeat(32);
const SEAL = "5".repeat(32);
const OPEN: HookServer[] = [];
afterEach(() => OPEN.splice(0).forEach((server) => server[Symbol.dispose]()));

const NC = "/usr/bin/nc.openbsd";
/** Skips the nc row where nc is not installed or the socket path would be too long. */
const hasNc = existsSync(NC) && tmpdir().length < 75;
const CLIENTS: readonly HookClient["kind"][] = hasNc ? ["bash", "nc"] : ["bash"];

/** A bundle that answers. */
const BUNDLE = `cat >/dev/null; printf '{"by":"bundle"}\\n\\n${SEAL} 0\\n'`;

interface Setup {
  /** A kind has our own server behind it, which is gone when there is no `answer`. */
  readonly client?: HookClient["kind"] | HookClient | undefined;
  readonly answer?: (request: HookRequest) => Promise<HookOutput>;
  /** A program that replaces the bundle and answers in its own way. */
  readonly bundle?: string;
  readonly dialect?: string;
  readonly folder?: string;
  /** How long the server, and then the bundle, may take. */
  readonly seconds?: number;
}

async function wrapper({ client, answer, bundle = "exit 1", dialect = "claude", ...rest }: Setup): Promise<string> {
  const { folder, seconds = 2 } = rest;
  const place = folder ?? tempFolder();
  mkdirSync(place, { recursive: true });
  const file = join(place, "hook");
  const script = join(place, "bundle.sh");
  writeFileSync(script, bundle);
  writeFileSync(
    file,
    wrapperText({
      dialect: findDialect(dialect),
      client: typeof client === "string" ? await serving(client, place, answer) : client,
      node: "/bin/sh",
      bundle: script,
      settings: join(place, "settings.json"),
      token: TOKEN,
      seal: SEAL,
      deadline: ["/usr/bin/timeout", "-s", "KILL", String(seconds)],
      seconds,
      stopSeconds: seconds,
    }),
    { mode: 0o700 },
  );
  return file;
}

async function serving(kind: HookClient["kind"], place: string, answer: Setup["answer"]): Promise<HookClient> {
  const socket = kind === "nc" ? join(place, "socket") : undefined;
  if (answer === undefined)
    return kind === "nc"
      ? { kind, program: NC, socket: join(place, "socket") }
      : { kind, program: "/bin/bash", port: 1 };
  const server = await openHookServer({ socket, token: TOKEN, seal: SEAL, answer });
  OPEN.push(server);
  return socket === undefined
    ? { kind: "bash", program: "/bin/bash", port: server.port }
    : { kind: "nc", program: NC, socket };
}

async function call(file: string, event: string, input: string | { readonly env: NodeJS.ProcessEnv }) {
  const env = typeof input === "string" ? process.env : input.env;
  const child = spawn(file, [event], { env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => {});
  child.stdin.end(typeof input === "string" ? input : "{}");
  const [[exit], stdout, stderr] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
  return { exit, stdout, stderr };
}

const says = (stdout: string, exit = 0, stderr = "") => ({ stdout, stderr, exit });

test.each(CLIENTS)("by %s, the server gets the input byte for byte, and its answer is printed", async (client) => {
  const seen: HookRequest[] = [];
  const file = await wrapper({
    client,
    answer: async (request) => {
      seen.push(request);
      return says('{"a":"ü"}');
    },
  });
  const input = `{"q":"'\\"$HOME \\\\ ü🙂 %s%n \u2028"${" ".repeat(300_000)}}`;
  expect(await call(file, "tool-before", input)).toEqual({ exit: 0, stdout: '{"a":"ü"}\n', stderr: "" });
  expect(seen.map(({ event, via }) => ({ event, via }))).toEqual([{ event: "tool-before", via: "launch" }]);
  expect(seen[0]?.text === input).toBe(true);
});

test("by bash, an input around the size that is read without another program arrives whole", async () => {
  const file = await wrapper({ client: "bash", answer: async ({ text }) => says(text) });
  for (const size of [1, 2048, 65_533, 65_534, 65_535, 65_536, 65_537, 131_072]) {
    const input = `${"x".repeat(size - 1)}üend`;
    expect((await call(file, "tool-before", input)).stdout).toBe(`${input}\n`);
  }
});

test("by the branch for bash 3.2, which macOS has, the input arrives whole too", async () => {
  const seen: string[] = [];
  const answer = async ({ text: input }: HookRequest) => says(`{"n":${seen.push(input)}}`);
  const file = await wrapper({ client: "bash", seconds: 20, answer });
  const old = readFileSync(file, "utf8").replaceAll("BASH_VERSINFO[0] > 3", "0 > 3");
  writeFileSync(file, old);
  expect(old.match(/0 > 3/g)).toHaveLength(2);
  const inputs = [1, 65_536, 131_072].map((size) => `{"q":"${"x".repeat(size)}ü \\n"}`);
  for (const [index, input] of inputs.entries()) {
    const reply = await call(file, "tool-before", input);
    expect([reply, seen[index] === input]).toEqual([{ exit: 0, stdout: `{"n":${index + 1}}\n`, stderr: "" }, true]);
  }
});

test("an answer without an opinion is silence, which agents need not read", async () => {
  const file = await wrapper({ client: "bash", answer: async () => says("{}") });
  expect(await call(file, "tool-before", "{}")).toEqual({ exit: 0, stdout: "", stderr: "" });
});

test.each(CLIENTS)("by %s, sixteen calls at once each get their own answer", async (client) => {
  const file = await wrapper({ client, answer: async ({ text }) => says(text) });
  const inputs = Array.from({ length: 16 }, (_, index) => `{"n":${index}}`);
  const answers = await Promise.all(inputs.map((input) => call(file, "tool-before", input)));
  expect(answers.map(({ stdout }) => stdout)).toEqual(inputs.map((input) => `${input}\n`));
});

test.each(CLIENTS)("by %s, a server that does not even read a huge call costs one slow answer", async (kind) => {
  const place = tempFolder();
  const silent = createServer({ pauseOnConnect: true }, (socket) => socket.on("error", () => {}));
  const socket = join(place, "socket");
  silent.listen(kind === "nc" ? { path: socket } : { host: "127.0.0.1", port: 0 });
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const client: HookClient = kind === "nc" ? { kind, program: NC, socket } : { kind, program: "/bin/bash", port };
  // The bundle must read the huge call within the same limit, even on a busy machine.
  const file = await wrapper({ client, bundle: BUNDLE, seconds: 6 });
  const reply = await call(file, "tool-before", `{"q":"${"x".repeat(12_000_000)}"}`);
  expect(reply).toEqual({ exit: 0, stdout: '{"by":"bundle"}\n', stderr: "" });
});

test.each(CLIENTS)("by %s, a server that is gone, hangs or breaks off costs one slow answer", async (client) => {
  const bundle = BUNDLE;
  const slow = { exit: 0, stdout: '{"by":"bundle"}\n', stderr: "" };
  const gone = await wrapper({ client, bundle });
  expect(await call(gone, "tool-before", "{}")).toEqual(slow);
  const hanging = await wrapper({ client, bundle, answer: () => new Promise(() => {}) });
  expect(await call(hanging, "tool-before", "{}")).toEqual(slow);
  const broken = await wrapper({ client, bundle, answer: () => Promise.reject(new Error("no")) });
  expect(await call(broken, "tool-before", "{}")).toEqual(slow);
});

test("by bash, a server that dies while it is being asked costs one slow answer, and never the answer", async () => {
  // Exceeds the kernel's socket buffer, so the wrapper is still writing when the connection is reset.
  const input = "x".repeat(8_000_000);
  const dying = createServer((connection) => connection.resetAndDestroy());
  await once(dying.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void dying.close());
  const address = dying.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const file = await wrapper({ client: { kind: "bash", program: "/bin/bash", port }, bundle: BUNDLE });
  expect(await call(file, "tool-before", input)).toEqual({ exit: 0, stdout: '{"by":"bundle"}\n', stderr: "" });
});

test.each(CLIENTS)("by %s, what the environment says about the shell changes no answer", async (client) => {
  const bundle = `cat >/dev/null; printf '{"by":"bundle"}\\n\\n${SEAL} 0\\n'`;
  const answering = await wrapper({ client, bundle });
  const refusing = await wrapper({ client });
  for (const env of [{ POSIXLY_CORRECT: "1" }, { POSIXLY_CORRECT: "" }, { SHELLOPTS: "posix:errexit:nounset" }]) {
    expect(await call(answering, "tool-before", { env })).toEqual({ exit: 0, stdout: '{"by":"bundle"}\n', stderr: "" });
    const { exit, stdout } = await call(refusing, "tool-before", { env });
    expect({ exit, stdout: JSON.parse(stdout) }).toMatchObject({
      exit: 2,
      stdout: { hookSpecificOutput: { permissionDecision: "deny" } },
    });
  }
});

const BUNDLE_FAULTS: readonly (readonly [string, string])[] = [
  ["exits 1", "exit 1"],
  ["exits 0 and prints nothing", "exit 0"],
  ["exits 3 after an allow", `echo '{}'; exit 3`],
  ["is killed", "kill -9 $$"],
  ["hangs", "sleep 30"],
  ["prints garbage", "echo garbage"],
  ["prints an answer without the seal", `printf '{}\\n\\n0\\n'`],
  ["prints an answer with another seal", `printf '{}\\n\\n${"6".repeat(32)} 0\\n'`],
  ["stops before the seal is whole", `printf '{}\\n\\n${SEAL.slice(0, 20)}'`],
  ["prints something after the seal", `printf '{}\\n\\n${SEAL} 0\\nmore\\n'`],
  ["says another exit code", `printf '{}\\n\\n${SEAL} 1\\n'`],
  ["prints ten megabytes", "head -c 10000000 /dev/zero | tr '\\\\0' x"],
];

test.each(BUNDLE_FAULTS)("a call is denied when the bundle %s", async (_, bundle) => {
  const file = await wrapper({ bundle });
  const { exit, stdout, stderr } = await call(file, "tool-before", "{}");
  expect({ exit, stdout: JSON.parse(stdout), stderr }).toEqual({
    exit: 2,
    stdout: {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: stderr.trim(),
      },
    },
    stderr: expect.stringContaining("did not answer"),
  });
});

test("without an answer, each agent hears its own denial, a stop is refused once, and the rest goes on", async () => {
  const copilot = await wrapper({ dialect: "copilot" });
  expect(JSON.parse((await call(copilot, "tool-before", "{}")).stdout)).toMatchObject({ permissionDecision: "deny" });
  const claude = await wrapper({});
  const first = await call(claude, "agent-stop", '{"stop_hook_active":false}');
  expect({ exit: first.exit, ...JSON.parse(first.stdout) }).toMatchObject({ exit: 2, decision: "block" });
  expect(await call(claude, "agent-stop", '{"stop_hook_active":true}')).toEqual({
    exit: 0,
    stdout: "{}\n",
    stderr: "",
  });
  expect(await call(claude, "session-start", "{}")).toEqual({ exit: 0, stdout: "{}\n", stderr: "" });
});

test("a wrapper works in a folder with spaces, quotes and a line feed, and nothing on PATH is believed", async () => {
  const base = tempFolder();
  const planted = join(base, "planted");
  mkdirSync(planted);
  for (const name of ["cat", "node", "nc", "sh", "bash", "timeout", "printf"])
    writeFileSync(join(planted, name), "#!/bin/sh\necho '{}'\nexit 0\n", { mode: 0o755 });
  const file = await wrapper({
    folder: join(base, "a b'c\"d\ne"),
    bundle: BUNDLE,
  });
  const child = spawn(file, ["tool-before"], {
    env: { PATH: planted, ENV: join(planted, "sh"), BASH_ENV: join(planted, "sh") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  expect(await text(child.stdout)).toBe('{"by":"bundle"}\n');
});

test("a refusal of the server is printed with its reason and exit code", async () => {
  const file = await wrapper({ client: "bash", answer: async () => says('{"no":1}\n', 2, "because\nof this\n") });
  expect(await call(file, "tool-before", "{}")).toEqual({ exit: 2, stdout: '{"no":1}\n', stderr: "because of this\n" });
});
