import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import * as z from "zod";
import { isAlive } from "./is-alive.ts";
import { SIGNALBOX, signalbox } from "./run-signalbox.ts";
import { tempFolder, tempRepository } from "./temp-folder.ts";
import { withoutSandbox } from "./without-sandbox.ts";

/** Several users of one machine: each has a home and a key, and all share a fleet. */
export function fleetScene(place?: string) {
  const fleet = place ?? tempFolder();
  const homes = new Map<string, string>();
  const root = tempRepository();
  writeFileSync(join(root, "a.txt"), "one\n");
  const home = (user: string) => {
    const known = homes.get(user) ?? withoutSandbox(tempFolder());
    homes.set(user, known);
    return known;
  };
  const envOf = (user: string, more: NodeJS.ProcessEnv = {}) => ({
    PATH: process.env["PATH"],
    // Where agents may write besides the workspace, and the tests see them work.
    TMPDIR: tmpdir(),
    HOME: home(user),
    SIGNALBOX_FLEET: fleet,
    ...more,
  });
  const call = (user: string, ...args: string[]) => signalbox(["fleet", ...args], { cwd: root, env: envOf(user) });
  const submit = async (script: readonly object[], ...args: string[]) => {
    const words = ["submit", "mock", "do it", "--param", `script=${JSON.stringify(script)}`, ...args];
    const { code, stdout, stderr } = await call("me", ...words);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/queued in|submitted before/)]);
    return stdout.trim();
  };
  const trust = async (user: string, other: string) => {
    const { stdout } = await signalbox(["key", "show"], { env: envOf(other) });
    mkdirSync(join(home(user), ".signalbox/fleet/trusted"), { recursive: true });
    writeFileSync(join(home(user), ".signalbox/fleet/trusted", `${other}.pem`), stdout);
  };
  const startWorker = (user: string, env: NodeJS.ProcessEnv = {}, ...args: string[]) =>
    spawnWorker(["--name", user, ...args], home(user), envOf(user, env));
  const status = async (id: string) => {
    const { stdout } = await call("me", "status", id, "--json");
    return Status.parse(JSON.parse(stdout));
  };
  const until = async (id: string, ...states: string[]) => {
    for (;;) {
      const now = await status(id);
      if (states.includes(now.state)) return now;
      await sleep(50);
    }
  };
  const receipts = async (...args: string[]) => {
    const { stdout, code } = await call("me", "receipts", "--json", ...args);
    const lines = stdout.split("\n").filter((line) => line !== "");
    return { code, lines: lines.map((line) => Line.parse(JSON.parse(line))) };
  };
  return { root, home, call, submit, trust, startWorker, status, until, receipts };
}

/** A worker that is ended with the test. */
function spawnWorker(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  const words = ["fleet", "worker", "--lease", "3", ...args];
  const child = spawn(SIGNALBOX, words, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  onTestFinished(async () => {
    child.kill("SIGCONT");
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once("exit", done));
  });
  return { child, said: () => said };
}

const Status = z.object({
  id: z.string(),
  state: z.string(),
  attempt: z.number(),
  worker: z.string().nullable(),
  lost: z.array(z.string()),
});

const Line = z.object({
  order: z.string(),
  verified: z.boolean(),
  because: z.string().optional(),
  folder: z.string().nullable(),
  receipt: z
    .object({ outcome: z.string(), attempt: z.number(), exit_code: z.number().nullable(), because: z.string() })
    .optional(),
});

/** An agent that says where it works, and works until the folder has a file with the name of that place. */
export const workUntil = (folder: string) => [
  {
    bash: `echo $$ >> ${folder}/begun; while [ ! -e ${folder}/go ]; do sleep 0.05; done; cp a.txt c.txt`,
  },
];

export const begun = async (folder: string, count: number) => {
  const file = join(folder, "begun");
  // The file is there before the first line is.
  const pids = () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []);
  while (pids().length < count) await sleep(20);
  return pids();
};

export const isGone = async (pid: string | undefined) => {
  while (isAlive(Number(pid))) await sleep(20);
};

export const killed = async (child: ChildProcess) => {
  child.kill("SIGKILL");
  await new Promise((done) => child.once("exit", done));
};
