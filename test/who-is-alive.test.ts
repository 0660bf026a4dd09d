import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { seesAllProcesses } from "../src/lib/process/process-table.ts";
import { until } from "./support/native-scene.ts";
import { inOtherNamespace } from "./support/pid-namespace.ts";
import { SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

/** A person with a home, a repository, and perhaps a container that shares both. */
function person(more: NodeJS.ProcessEnv = {}) {
  const cwd = tempRepository();
  const env = { PATH: process.env["PATH"], HOME: tempFolder(), TMPDIR: tempFolder(), ...more };
  const home = join(env.HOME, ".signalbox");
  const start = (args: readonly string[], before: readonly string[] = []) => {
    const [program = "", ...words] = [...before, SIGNALBOX, ...args];
    const child = spawn(program, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  const ended = async (child: ChildProcess) => {
    const read = async (stream: Readable | null) => (stream === null ? "" : await text(stream));
    const output = Promise.all([read(child.stdout), read(child.stderr)]);
    const [code] = await once(child, "close");
    const [stdout, stderr] = await output;
    return { code, stdout, stderr };
  };
  const receipts = () => globSync(join(home, "receipts", "*-*-*-*-*.json"));
  const runsBegun = () => globSync(join(home, "runs", "*", "log.jsonl")).length;
  return { cwd, env, home, start, ended, receipts, runsBegun };
}

const WAITING = [
  "run",
  "mock",
  "t",
  "--param",
  'script=[{"bash":"until [ -e go ]; do sleep 0.05; done"},{"say":"done"}]',
];

describe.runIf(inOtherNamespace)("two pid namespaces with one home (needs unshare)", () => {
  const elsewhere = inOtherNamespace ?? [];

  test("a list of the runs in one leaves a run that works in the other alone, either way round", async () => {
    for (const [there, here] of [
      [[], elsewhere],
      [elsewhere, []],
    ] as const) {
      const { cwd, start, ended, receipts, runsBegun } = person();
      const running = start(WAITING, there);
      const end = ended(running);
      await until(() => runsBegun() === 1);
      const listed = await ended(start(["runs", "--json"], here));
      expect([listed.code, JSON.parse(listed.stdout).state, receipts()]).toEqual([0, "running", []]);
      const refused = await ended(start(["cancel", JSON.parse(listed.stdout).run_id, "--gone"], here));
      expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("this run is still active")]);
      writeFileSync(join(cwd, "go"), "");
      expect([(await end).code, receipts().length]).toEqual([0, 1]);
    }
  });

  test("a container closes no run that was killed outside it: what the run started may still work", async () => {
    const { start, ended, receipts, runsBegun } = person();
    const running = start(WAITING);
    await until(() => runsBegun() === 1);
    running.kill("SIGKILL");
    await once(running, "exit");
    const inside = await ended(start(["runs", "--json"], elsewhere));
    expect([JSON.parse(inside.stdout).state, receipts().length]).toEqual(["unknown", 0]);
    const outside = await ended(start(["runs", "--json"]));
    expect([JSON.parse(outside.stdout).state, receipts().length]).toEqual(["interrupted", 1]);
  });

  test.runIf(seesAllProcesses())("a run that was killed in a container is closed from outside, once", async () => {
    const { start, ended, receipts, runsBegun } = person();
    const running = start(WAITING, elsewhere);
    await until(() => runsBegun() === 1);
    running.kill("SIGKILL");
    await once(running, "exit");
    const listed = await ended(start(["runs", "--json"]));
    expect([JSON.parse(listed.stdout).state, receipts().length]).toEqual(["interrupted", 1]);
  });

  test("a launch in one leaves the folders and processes of a launch in the other alone", async () => {
    const agent = standInAgent("claude", 'echo yes > "$RECORD/up"; until [ -e "$RECORD/go" ]; do sleep 0.05; done');
    writeFileSync(join(agent.folder, "copilot"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    const { home, start, ended } = person({ ...agent.env, HOME: agent.home });
    const record = agent.env["RECORD"] ?? "";
    const end = ended(start(["claude", "-p", "x"]));
    await until(() => existsSync(join(record, "up")));
    const folders = () => [
      ...globSync(join(home, "launches", "*")),
      ...globSync(join(agent.env["TMPDIR"] ?? "", "signalbox-*", "*")),
    ];
    const before = folders();
    const other = await ended(start(["copilot", "-p", "y"], elsewhere));
    expect([other.code, other.stderr]).toEqual([0, expect.not.stringContaining("ended what")]);
    expect([before.length, folders()]).toEqual([2, before]);
    writeFileSync(join(record, "go"), "");
    expect([(await end).code, folders()]).toEqual([0, []]);
  });
});

/** A run as a signalbox elsewhere would have left it. */
function foreignRun(home: string, root: string, owner: object | undefined): string {
  const id = "3f2a0000-0000-4000-8000-000000000001";
  const folder = join(home, "runs", id);
  mkdirSync(folder, { recursive: true });
  const header = {
    run_id: id,
    work_order_id: "3f2a0000-0000-4000-8000-000000000002",
    task: "t",
    agent: "mock",
    mode: "pass_through",
    root,
    started_at: "2026-11-15T00:00:00.000Z",
    owner: { pid: 4_000_000, started: "1" },
  };
  writeFileSync(join(folder, "run.json"), JSON.stringify(header));
  writeFileSync(join(folder, "log.jsonl"), "");
  if (owner !== undefined) writeFileSync(join(folder, "owner.json"), JSON.stringify(owner));
  return id;
}

const OWNER = {
  host: "other 1",
  boot: "b",
  space: "pid:[1]",
  hostname: "nfs-two",
  pid: 4_000_000,
  started: "1",
  lock: "",
};

test.each([
  ["of another machine", OWNER, "it was started on another machine or in another container (nfs-two)"],
  ["of an older signalbox", undefined, "it was started by an older signalbox"],
])("a run %s is neither sealed nor skipped until the person says that it is over", async (_, owner, because) => {
  const cwd = tempRepository();
  const env = { HOME: tempFolder() };
  const home = join(env.HOME, ".signalbox");
  const id = foreignRun(home, cwd, owner);
  const run = async (...args: string[]) => await signalbox(args, { cwd, env });
  const listed = await run("runs");
  expect(listed.stdout).toMatch(/^3f2a0000-\S+ {2}\S+ {2}mock {2}unknown {2}t\n$/);
  expect(listed.stderr).toBe(
    `signalbox: cannot tell from here whether run ${id} is still active: ${because}; check there, or if it has ended: signalbox cancel ${id} --gone\n`,
  );
  expect(existsSync(join(home, "receipts"))).toBe(false);
  const second = await run("run", "mock", "t");
  expect([second.code, second.stderr]).toEqual([3, expect.stringContaining(`signalbox cancel ${id} --gone`)]);
  const closed = await run("cancel", id, "--gone");
  expect([closed.code, closed.stderr]).toEqual([0, expect.stringContaining(`run ${id} is closed`)]);
  const after = await run("runs", "--json");
  expect([after.stderr, JSON.parse(after.stdout).closed.because]).toEqual([
    "",
    "closed by hand: could not tell whether its signalbox was still running",
  ]);
  expect(readFileSync(join(home, "receipts", `${id}.json`), "utf8")).toContain(id);
});
