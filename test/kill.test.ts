import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { needs } from "./support/platform.ts";
import { Receipt } from "../src/contract/receipt.ts";
import { parseExactJson } from "../src/lib/json/exact-json.ts";
import { everything, git, repositoryWith, writeFiles } from "./support/git-repository.ts";
import { SIGNALBOX } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

const HOST = join(import.meta.dirname, "fixtures/hosts/steady-host.mjs");
const MOMENTS = Number(process.env["SIGNALBOX_TEST_KILLS"] ?? 9);
/** The longest that a run of the steady host takes here, measured first. */
const SEED = Number(process.env["SIGNALBOX_TEST_SEED"] ?? 20_261_115);

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Processes of this machine that were started for a run. */
function processesOf(runId: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(runId);
      } catch {
        return false;
      }
    })
    .map(Number);
}

function receiptsIn(home: string): Map<string, Receipt> {
  const folder = join(home, "receipts");
  const files = readdirSync(folder).filter((name) => /^[0-9a-f-]{36}\.json$/.test(name));
  return new Map(
    files.map((name) => [name.slice(0, 36), Receipt.parse(parseExactJson(readFileSync(join(folder, name), "utf8")))]),
  );
}

interface Shown {
  readonly texts: readonly string[];
  readonly code: number | null;
}

/** Starts a run and kills one of its processes after a while. Whole lines that it showed come back. */
async function killedRun(options: {
  cwd: string;
  env: NodeJS.ProcessEnv;
  afterMs: number;
  victim: string;
}): Promise<Shown> {
  const args = ["run", "--sidecar", `'${process.execPath}' '${HOST}'`, "task", "--json"];
  const child = spawn(SIGNALBOX, args, { ...options, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  let seen = "";
  child.stdout.on("data", (chunk: Buffer) => (seen += chunk.toString()));
  const whole = text(child.stdout).catch(() => seen);
  await sleep(options.afterMs);
  const pids = /host (\d+) child (\d+)/.exec(seen);
  const pid = { runtime: child.pid, host: Number(pids?.[1]), child: Number(pids?.[2]) }[options.victim] ?? child.pid;
  try {
    if (pid !== undefined && pid > 1) process.kill(pid, "SIGKILL");
  } catch {
    // It had ended already: that moment was after the end.
  }
  const code = await ended;
  await whole;
  const lines = seen.split("\n").slice(0, -1);
  return { code, texts: lines.map((line) => String(JSON.parse(line).text ?? JSON.parse(line).message)) };
}

needs("process marks")(
  `kill -9 at ${MOMENTS} random moments: every run has a receipt, no shown event is lost, nothing is left running`,
  { timeout: 60_000 + MOMENTS * 10_000 },
  async () => {
    const next = random(SEED);
    const home = tempFolder();
    const root = repositoryWith({ "a.txt": "a\n" });
    writeFiles(root, { "staged.txt": "s\n", "untracked.txt": "u\n" });
    git(root, "add", "staged.txt");
    git(root, "stash", "push", "-q", "--keep-index", "--include-untracked");
    const untouched = everything(join(root, ".git"));
    const env = { PATH: process.env["PATH"], HOME: home, SIGNALBOX_HOME: join(home, "box"), TMPDIR: tempFolder() };
    const victims = ["runtime", "host", "child"];

    for (let moment = 0; moment < MOMENTS; moment++) {
      const afterMs = next() * 1500;
      const victim = victims[moment % victims.length] ?? "runtime";
      const shown = await killedRun({ cwd: root, env, afterMs, victim });
      const listed = execFileSync(SIGNALBOX, ["runs", "--json", "--all"], { cwd: root, env, encoding: "utf8" });
      const runs = listed
        .trim()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line));
      const receipts = runs.length === 0 ? new Map<string, Receipt>() : receiptsIn(env.SIGNALBOX_HOME);
      const where = `moment ${moment}: ${victim} after ${afterMs} ms`;
      expect([...receipts.keys()].toSorted(), where).toEqual(runs.map(({ run_id }) => String(run_id)).toSorted());
      const last = runs.at(-1);
      if (shown.texts.length > 0) {
        const told = receipts
          .get(last.run_id)
          ?.trace.map((event) => ("text" in event ? event.text : "message" in event ? event.message : ""));
        expect(told?.slice(0, shown.texts.length), where).toEqual(shown.texts);
      }
      for (const { run_id } of runs.slice(-1)) expect(processesOf(run_id), where).toEqual([]);
      expect(everything(join(root, ".git")), where).toEqual(untouched);
    }
  },
);
