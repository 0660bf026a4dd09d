import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aLaunch, aReceipt, aRun } from "./support/board-scene.ts";
import { before, HELD, launchCaller } from "./support/hook-calling-agent.ts";
import { SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";
import { terminal, WAIT } from "./support/tmux-terminal.ts";
import { newEvent } from "../src/contract/agent-event.ts";
import { stopEntry } from "../src/board/stop-entry.ts";
import { openBoard } from "../src/board/read-board.ts";
import { watchBoard } from "../src/board/watch-board.ts";

test.each(HELD)("a launch of %s is on the board while it works, and its receipt afterwards", async (agent) => {
  const seen = join(tempFolder(), "seen");
  const look = { sh: `'${SIGNALBOX}' watch --once --json >> '${seen}'` };
  const { home, cwd } = await launchCaller(agent, [look, before(agent, "ls"), look, before(agent, "rm -rf ~"), look]);
  const states = readFileSync(seen, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map(({ agent: name, state, source, folder, why, denied }) => [name, state, source, folder, why, denied]);
  expect(states).toEqual([
    [agent, "unknown", "process", cwd, "no hook event yet", 0],
    [agent, "running", "hook", cwd, "$ ls", 0],
    [agent, "running", "hook", cwd, "denied: $ rm -rf ~", 1],
  ]);
  const { stdout } = await signalbox(["watch", "--once", "--json"], { env: { HOME: home } });
  const entry = JSON.parse(stdout);
  expect(entry).toMatchObject({ kind: "receipt", agent, state: "claimed done", folder: cwd, calls: 2, denied: 1 });
});

test("the board says what could not be read, and that nothing is there", async () => {
  const home = tempFolder();
  const once = async () => await signalbox(["watch", "--once"], { env: { HOME: home } });
  expect(await once()).toMatchObject({ code: 0, stdout: "nothing yet\n", stderr: "" });
  const sealed = aReceipt(join(home, ".signalbox"), { verified: "accepted" });
  writeFileSync(join(home, ".signalbox/runs"), "");
  const { code, stdout, stderr } = await once();
  expect([code, stderr]).toEqual([1, "signalbox: runs cannot be read: ENOTDIR\n"]);
  expect(stdout).toMatch(/^\+ verified +log .* fix it \(its check passed\)\n$/);
  expect(sealed).toHaveLength(36);
});

test("what changes is told in order, and what ends is gone", async () => {
  const home = tempFolder();
  const run = aRun(home, randomUUID());
  const end = new AbortController();
  const seen: unknown[] = [];
  for await (const { seq, entries } of watchBoard(openBoard(home), end.signal)) {
    seen.push([seq, entries[0]?.state, entries[0]?.why]);
    if (seq === 1) run.append({ t: "event", event: newEvent({ type: "assistant_message", text: "hm" }) });
    if (seq === 2)
      run.end({
        outcome: "failed",
        exit_code: 1,
        because: "no",
        finished_at: "2026-01-01T00:00:00Z",
        receipt_sha256: "",
        applied_at: null,
      });
    if (seq === 3) end.abort();
  }
  expect(seen).toEqual([
    [1, "unknown", "its process lives, and nothing was logged yet"],
    [2, "running", "writes an answer"],
    [3, "failed", "no"],
  ]);
});

test("only what runs can be stopped, and a run is asked to end", () => {
  const home = tempFolder();
  const run = aRun(home);
  const [entry] = openBoard(home).read().entries;
  if (entry === undefined) throw new Error("no entry");
  stopEntry(home, entry);
  expect(run.cancelled()).toBe("stopped from the board");
  expect(() => stopEntry(home, { ...entry, isLive: false })).toThrow("it is not running");
  expect(() => stopEntry(home, { ...entry, kind: "session" })).toThrow("ends in its own terminal");
});

test("on a terminal of 80 columns an entry can be chosen, opened and left", async () => {
  const user = tempFolder();
  const home = join(user, ".signalbox");
  aReceipt(home, { verified: "refused" });
  aLaunch(home, (events) => {
    const call = { tool: "Bash", input: { command: "npm publish \u001b[2J\u202e" } };
    events.answered(call, { verdict: "ask", because: "it publishes", left: "person" });
  });
  const env = { HOME: user, PATH: process.env["PATH"] ?? "" };
  const { keys, shows, screen } = terminal({ cwd: user, env }, `'${SIGNALBOX}' watch; echo "ended $?"; sleep 60`);
  await shows("1 needs you, 1 live, 2 shown");
  await shows("asks: $ npm publish");
  expect(
    Math.max(
      ...screen()
        .split("\n")
        .map(({ length }) => length),
    ),
  ).toBeLessThanOrEqual(80);
  keys("Enter");
  await shows("Answer in its own terminal, in /w.");
  await shows("it publishes");
  keys("Escape");
  await shows("up/down choose");
  keys("Down", "Enter");
  await shows("verify     signalbox receipt verify");
  keys("s");
  await shows("it is not running");
  keys("q");
  await expect.poll(screen, WAIT).toContain("ended 0");
});
