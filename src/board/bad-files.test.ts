import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asNobody, nobodysFolder } from "../../test/support/as-nobody.ts";
import { aConversation, aLaunch, aReceipt, aRun, calls, prompt } from "../../test/support/board-scene.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { newEvent } from "../contract/agent-event.ts";
import { logPath, sessionsPlace } from "../native/log/log-folder.ts";
import { openBoard } from "./read-board.ts";
import { readTail } from "./read-tail.ts";

const states = (home: string) =>
  openBoard(home)
    .read()
    .entries.map(({ kind, state, source, why }) => [kind, state, source, why]);

const event = (text: string) =>
  ({ t: "event", event: newEvent({ type: "tool_call", tool_name: "Bash", input: { command: text } }) }) as const;

test("a home that does not exist has an empty board", () => {
  expect(openBoard(join(tempFolder(), "none")).read()).toEqual({ entries: [], problems: [] });
});

test("of a huge log the end is read, and a line that is too long is not", () => {
  const home = tempFolder();
  const run = aRun(home);
  run.append(event("x".repeat(3_000_000)));
  run.append(event("make"));
  expect(states(home)).toEqual([["run", "running", "log", "$ make"]]);
  const sparse = join(tempFolder(), "sparse");
  truncateSync(execTouch(sparse), 3e9);
  appendFileSync(sparse, '\n{"t":"last"}\n{"torn');
  expect(readTail(sparse)).toMatchObject({ isCut: true, lines: ['{"t":"last"}'] });
});

function execTouch(path: string): string {
  writeFileSync(path, "");
  return path;
}

test("a torn line, and one of a newer version, say nothing wrong", () => {
  const home = tempFolder();
  const run = aRun(home);
  run.append(event("make"));
  appendFileSync(join(run.folder, "log.jsonl"), '{"t":"event","event":{"type":"assis');
  const id = aConversation(home, [prompt, calls("a")], true);
  appendFileSync(logPath(sessionsPlace(home), id), '{"at":1,"type":"of-the-future"}\n');
  expect(states(home)).toEqual([
    ["session", "unknown", "log", "written by a newer signalbox"],
    ["run", "running", "log", "$ make"],
  ]);
});

test("what is no file of ours is told as unknown, and never blocks", () => {
  const home = tempFolder();
  const launch = aLaunch(home);
  rmSync(join(launch, "events.jsonl"));
  execFileSync("mkfifo", [join(launch, "events.jsonl")]);
  const run = aRun(home);
  rmSync(join(run.folder, "log.jsonl"));
  mkdirSync(join(run.folder, "log.jsonl"));
  symlinkSync("/dev/zero", join(home, "sessions"));
  const { entries, problems } = openBoard(home).read();
  expect(entries.map(({ state }) => state)).toEqual(["unknown", "unknown"]);
  expect(problems).toEqual([expect.stringContaining("sessions cannot be read")]);
});

test("what cannot be read is named, and the rest is shown", () => {
  const home = nobodysFolder();
  asNobody(() => {
    aConversation(home, [prompt], true);
    mkdirSync(join(home, "runs"));
    chmodSync(join(home, "runs"), 0);
    const { entries, problems } = openBoard(home).read();
    expect(entries.map(({ kind, state }) => [kind, state])).toEqual([["session", "running"]]);
    expect(problems).toEqual(["runs cannot be read: EACCES"]);
    chmodSync(join(home, "runs"), 0o700);
  });
});

test("a run that is removed between two looks is gone from the board", () => {
  const home = tempFolder();
  const run = aRun(home);
  const board = openBoard(home);
  expect(board.read().entries).toHaveLength(1);
  run.end({
    outcome: "failed",
    exit_code: 1,
    because: "",
    finished_at: "2026-01-01T00:00:00Z",
    receipt_sha256: "",
    applied_at: null,
  });
  expect(board.read().entries[0]?.state).toBe("failed");
  rmSync(run.folder, { recursive: true });
  expect(board.read()).toEqual({ entries: [], problems: [] });
});

test("a receipt that is stored between two looks is on the board", () => {
  const home = tempFolder();
  const board = openBoard(home);
  aReceipt(home, { verified: "accepted" });
  const look = () => board.read().entries.map(({ state, task, folder, calls: count }) => [state, task, folder, count]);
  expect(look()).toEqual([["verified", "fix it", "/w", 1]]);
  aReceipt(home, { stopped: "interrupted" });
  expect(look()).toHaveLength(2);
});

test("the events of a launch have no secret, stay bounded, and keep the newest", () => {
  const home = tempFolder();
  const token = `ghp_${"a1B2".repeat(9)}`;
  const folder = aLaunch(home, (events) => {
    for (let count = 0; count < 4000; count++) {
      const call = { tool: "Bash", input: { command: `push ${count} --token ${token} ${"x".repeat(5000)}` } };
      events.answered(call, { verdict: "allow", because: "" });
    }
  });
  const sizes = ["events.jsonl", "events.old.jsonl"].map(
    (name) => readTail(join(folder, name))?.lines.join("\n") ?? "",
  );
  expect(Math.max(...sizes.map(({ length }) => length))).toBeLessThan(300_000);
  expect(sizes.join("").includes(token)).toBe(false);
  expect(states(home)[0]?.[3]).toMatch(/^\$ push 3999 --token \[redacted/);
});
