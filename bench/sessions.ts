import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Suite } from "./suite.ts";

const signalbox = join(import.meta.dirname, "../bin/signalbox");

/** A stand-in for Claude Code that calls the hooks of this many calls and of a stop, and notes when it ends. */
const AGENT = `
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
const argv = process.argv.slice(2);
if (argv.includes("--version")) process.exit(0);
const { hooks } = JSON.parse(readFileSync(argv[argv.indexOf("--settings") + 1], "utf8"));
const tell = (event, more) => {
  const { command, args } = hooks[event][0].hooks[0];
  const input = JSON.stringify({ session_id: "s", hook_event_name: event, cwd: process.cwd(), ...more });
  return spawnSync(command, args, { input, encoding: "utf8" }).stdout;
};
for (let count = 0; count < Number(process.env.CALLS); count++) {
  const call = { tool_name: "Bash", tool_input: { command: "echo " + "word ".repeat(20) + count } };
  tell("PreToolUse", call);
  writeFileSync("made-" + count + ".txt", "made");
  tell("PostToolUse", { ...call, tool_response: "" });
}
if (process.env.CALLS !== "0") tell("Stop", { stop_hook_active: false });
writeFileSync(process.env.ENDED, String(performance.timeOrigin + performance.now()));
`;

/**
 * What a receipt adds to the end of a launch: the time from the agent's end to ours, beside a launch of an agent that
 * calls no hook and so leaves none; and how many bytes each receipt leaves on disk.
 */
export const sessions: Suite = async ({ quick }) => {
  const base = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  try {
    const rounds = quick ? 5 : 15;
    const results = [];
    for (const files of quick ? [100, 10_000] : [100, 10_000, 100_000]) {
      const place = makePlace(join(base, String(files)), files);
      for (const calls of [1, 20]) results.push(await measured(place, { files, calls, rounds }));
    }
    const rows = results.map(({ files, calls, floorMs, endMs, addedMs, counted, bytes }) => ({
      workspace: `${files} files`,
      calls,
      "end without a receipt, ms": floorMs,
      "with it, ms": endMs,
      "added, ms": addedMs,
      "files counted": counted,
      "bytes a receipt": bytes,
    }));
    return { rows, result: { suite: "sessions", rounds, results } };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
};

interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly ended: string;
}

function makePlace(base: string, files: number): Place {
  const [cwd, home, bin] = [join(base, "work"), join(base, "home"), join(base, "bin")];
  for (const folder of [cwd, home, bin]) mkdirSync(folder, { recursive: true });
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@b", ...args], {
      cwd,
      env: { ...process.env, HOME: home },
    });
  for (let count = 0; count < files; count++) {
    if (count % 100 === 0) mkdirSync(join(cwd, `folder-${count / 100}`));
    writeFileSync(join(cwd, `folder-${Math.floor(count / 100)}`, `file-${count}.txt`), `${count}\n`);
  }
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  writeFileSync(join(bin, "claude.mjs"), AGENT);
  writeFileSync(join(bin, "claude"), `#!/bin/sh\nexec '${process.execPath}' '${join(bin, "claude.mjs")}' "$@"\n`, {
    mode: 0o755,
  });
  const ended = join(base, "ended");
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: home, TMPDIR: base, ENDED: ended };
  return { cwd, home, env, ended };
}

interface Measuring {
  readonly files: number;
  readonly calls: number;
  readonly rounds: number;
}

async function measured(place: Place, { files, calls, rounds }: Measuring) {
  const times: { readonly floor: number[]; readonly end: number[] } = { floor: [], end: [] };
  let counted = 0;
  await endOf(place, 1);
  const before = bytesIn(join(place.home, ".signalbox/receipts"));
  for (let round = 0; round < rounds; round++) {
    times.floor.push((await endOf(place, 0)).ms);
    const { ms, stderr } = await endOf(place, calls);
    times.end.push(ms);
    if (/files? changed/.test(stderr)) counted++;
    execFileSync("git", ["clean", "-fdq"], { cwd: place.cwd });
  }
  const bytes = Math.round((bytesIn(join(place.home, ".signalbox/receipts")) - before) / rounds);
  const [floorMs, endMs] = [median(times.floor), median(times.end)];
  const addedMs = Math.round((endMs - floorMs) * 10) / 10;
  return { files, calls, floorMs, endMs, addedMs, counted: `${counted} of ${rounds}`, bytes };
}

async function endOf({ cwd, env, ended }: Place, calls: number): Promise<{ ms: number; stderr: string }> {
  const child = spawn(signalbox, ["claude", "-p", "go"], {
    cwd,
    env: { ...env, CALLS: String(calls) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (text: Buffer) => (stderr += text.toString("utf8")));
  await once(child, "exit");
  return { ms: performance.timeOrigin + performance.now() - Number(readFileSync(ended, "utf8")), stderr };
}

const median = (values: readonly number[]): number =>
  Math.round((values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN) * 10) / 10;

const bytesIn = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
