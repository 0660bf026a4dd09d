import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { logsIn, scene } from "./support/native-scene.ts";
import { SIGNALBOX } from "./support/run-signalbox.ts";

test("a disk that takes nothing is said before anything is begun, and nothing half-written stays", async () => {
  const { cwd, home, sessions, server } = await scene({ turns: [{ text: "x" }] });
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    SIGNALBOX_MODEL: "compatible/m",
    SIGNALBOX_BASE_URL: server.url,
  };
  const full = spawnSync("sh", ["-c", `ulimit -f 0; exec '${SIGNALBOX}' native -p x`], { cwd, env, encoding: "utf8" });
  expect([full.status, full.stderr]).toEqual([
    1,
    expect.stringContaining("signalbox: the disk is read-only\n  where: "),
  ]);
  expect([readdirSync(sessions), server.requests.length]).toEqual([[], 0]);
});

test.runIf(existsSync("/dev/full"))("an answer that cannot be written is said, and the exit code is 1", async () => {
  const { cwd, home, sessions, server, run } = await scene({ turns: [{ text: "The answer." }] });
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    SIGNALBOX_MODEL: "compatible/m",
    SIGNALBOX_BASE_URL: server.url,
  };
  // Not spawnSync: the scripted model answers from this very process.
  const child = spawn("sh", ["-c", `exec '${SIGNALBOX}' native -p x </dev/null >/dev/full`], { cwd, env });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect(said).toContain("cannot write the output (ENOSPC); the answer is in: signalbox sessions show");
  expect([code, logsIn(sessions).length]).toEqual([1, 1]);
  expect((await run(["sessions", "show", "last"])).stdout).toContain("The answer.");
});

test("to look at sessions, nothing is written, and a broken index is in nobody's way", async () => {
  const { home, sessions, run } = await scene({ turns: [{ text: "x" }] });
  expect((await run(["sessions", "list"])).stdout).toBe("no sessions yet\n");
  expect(existsSync(join(home, ".signalbox"))).toBe(false);
  await run(["native", "-p", "hello"]);
  mkdirSync(join(sessions, "index.db", "in the way"), { recursive: true });
  const listed = await run(["sessions", "list"]);
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining("rested: answered    hello\n")]);
});

test("what is no file in the place of a log is named by every command", async () => {
  const { sessions, run } = await scene({ turns: [{ text: "x" }] });
  await run(["native", "-p", "hello"]);
  mkdirSync(join(sessions, "20260101-000000-aaaaaaaa.jsonl"));
  execFileSync("mkfifo", [join(sessions, "20260101-000000-bbbbbbbb.jsonl")]);
  symlinkSync("nowhere", join(sessions, "20260101-000000-cccccccc.jsonl"));
  for (const [verb, id, because] of [
    ["show", "aaaaaaaa", "not a regular file"],
    ["resume", "bbbbbbbb", "not a regular file"],
    ["fork", "cccccccc", "ENOENT"],
  ] as const) {
    const { code, stderr } = await run(["sessions", verb, id]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`cannot read the session log (${because})`)]);
  }
  const { stdout } = await run(["sessions", "list"]);
  expect([stdout.match(/unreadable/g)?.length, stdout.match(/hello/g)?.length]).toEqual([3, 1]);
});
