import { randomUUID } from "node:crypto";
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  aConversation,
  aLaunch,
  aReceipt,
  aRun,
  begun,
  calls,
  done,
  killOwner,
  ownElsewhere,
  prompt,
  rest,
  runEnd,
} from "../../test/support/board-scene.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { newEvent } from "../contract/agent-event.ts";
import { newAgentLog } from "../native/log/session-log.ts";
import type { LaunchEvents } from "../launch/launch-events.ts";
import { openBoard, thisMoment } from "./read-board.ts";

interface Situation {
  readonly name: string;
  readonly arrange: (home: string) => unknown;
  /** The state and its source, or nothing at all. */
  readonly expected: readonly [state: string, source: string] | "nothing";
  /** How long ago that was, by both clocks; and how far the clock on the wall was set since. */
  readonly seconds?: number;
  readonly wallSet?: number;
}

const EDIT = { tool: "Edit", input: { file_path: "a.ts" } };
const BASH = { tool: "Bash", input: { command: "npm test" } };
const ALLOW = { verdict: "allow", because: "" } as const;
const ASK = { verdict: "ask", because: "npm publish", left: "person" } as const;
const OPEN = { verdict: "allow", because: "", left: "agent" } as const;
const HOUR = 3600;

const launch =
  (report: (events: LaunchEvents) => void, header = {}) =>
  (home: string) =>
    aLaunch(home, report, header);
const HEADLESS = { interactive: false };
const stop = (verified: "accepted" | "refused" | "stale" | "changed_check") => (events: LaunchEvents) =>
  events.stopped({ tell: "LINE", verified });

const LAUNCHES: readonly Situation[] = [
  { name: "started, and no hook was called", arrange: launch(() => {}), expected: ["unknown", "process"] },
  { name: "works on a prompt", arrange: launch((it) => it.prompted()), expected: ["running", "hook"] },
  { name: "runs a call", arrange: launch((it) => it.answered(BASH, ALLOW)), expected: ["running", "hook"] },
  {
    name: "runs a long call",
    arrange: launch((it) => it.answered(BASH, ALLOW)),
    seconds: 300,
    expected: ["running", "hook"],
  },
  {
    name: "a call ended",
    arrange: launch((it) => (it.answered(BASH, ALLOW), it.ended(BASH))),
    expected: ["running", "hook"],
  },
  {
    name: "a call was denied, and the agent goes on",
    arrange: launch((it) => it.answered(BASH, { verdict: "deny", because: "no" })),
    expected: ["running", "hook"],
  },
  {
    name: "no event for long",
    arrange: launch((it) => it.ended(BASH)),
    seconds: 900,
    expected: ["stalled", "inferred"],
  },
  {
    name: "asks its person for us",
    arrange: launch((it) => it.answered(BASH, ASK)),
    seconds: 900,
    expected: ["needs you", "hook"],
  },
  {
    name: "asks while another call of the same answer ends",
    arrange: launch((it) => (it.answered(BASH, ASK), it.answered(EDIT, ALLOW), it.ended(EDIT))),
    expected: ["needs you", "hook"],
  },
  {
    name: "the person agreed",
    arrange: launch((it) => (it.answered(BASH, ASK), it.ended(BASH))),
    expected: ["running", "hook"],
  },
  {
    name: "the person refused and wrote something else",
    arrange: launch((it) => (it.answered(BASH, ASK), it.prompted())),
    expected: ["running", "hook"],
  },
  {
    name: "a sub-agent asks",
    arrange: launch((it) => (it.answered({ ...BASH, by: "sub-1" }, ASK), it.stopped({}))),
    expected: ["needs you", "hook"],
  },
  {
    name: "a sub-agent works after its agent has stopped",
    arrange: launch((it) => (it.stopped({}), it.answered({ ...BASH, by: "sub-1" }, ALLOW))),
    expected: ["running", "hook"],
  },
  {
    name: "an edit that the agent decides about does not end",
    arrange: launch((it) => it.answered(EDIT, OPEN)),
    seconds: 60,
    expected: ["needs you", "inferred"],
  },
  {
    name: "a command that the agent decides about does not end",
    arrange: launch((it) => it.answered(BASH, OPEN)),
    seconds: 60,
    expected: ["unknown", "inferred"],
  },
  {
    name: "the same where nobody could be asked",
    arrange: launch((it) => it.answered(BASH, OPEN), HEADLESS),
    seconds: 60,
    expected: ["running", "hook"],
  },
  {
    name: "foreign launch idle",
    arrange: launch((it) => (it.prompted(), it.stopped({}))),
    seconds: HOUR,
    expected: ["claimed done", "hook"],
  },
  { name: "its check runs", arrange: launch((it) => it.stopping()), expected: ["running", "hook"] },
  {
    name: "its check failed, and it was sent back",
    arrange: launch((it) => it.stopped({ block: "no", tell: "FAILED", verified: "refused" })),
    expected: ["running", "hook"],
  },
  { name: "its check passed", arrange: launch(stop("accepted")), seconds: HOUR, expected: ["verified", "hook"] },
  { name: "its check failed", arrange: launch(stop("refused")), expected: ["failed", "hook"] },
  { name: "its check was changed", arrange: launch(stop("changed_check")), expected: ["failed", "hook"] },
  { name: "files changed after its check", arrange: launch(stop("stale")), expected: ["claimed done", "hook"] },
  {
    name: "worked on after a green check",
    arrange: launch((it) => (stop("accepted")(it), it.prompted())),
    expected: ["running", "hook"],
  },
  {
    name: "the agent has ended, and its receipt is sealed",
    arrange: launch((it) => it.exited()),
    expected: ["running", "hook"],
  },
  {
    name: "clock set an hour ahead",
    arrange: launch((it) => it.answered(BASH, ALLOW)),
    wallSet: HOUR,
    expected: ["running", "hook"],
  },
  {
    name: "clock set an hour back",
    arrange: launch((it) => it.ended(BASH)),
    wallSet: -HOUR,
    seconds: 900,
    expected: ["stalled", "inferred"],
  },
  {
    name: "killed while it asked",
    arrange: (home) => killOwner(aLaunch(home, (it) => it.answered(BASH, ASK))),
    expected: ["interrupted", "process"],
  },
  {
    name: "on another machine",
    arrange: (home) => ownElsewhere(aLaunch(home, (it) => it.answered(BASH, ALLOW))),
    expected: ["unknown", "process"],
  },
  {
    name: "of a newer signalbox",
    arrange: (home) => writeFileSync(join(aLaunch(home), "board.json"), '{"version":9}'),
    expected: ["unknown", "process"],
  },
  {
    name: "its events could not be written any more",
    arrange: (home) =>
      rmSync(
        join(
          aLaunch(home, (it) => it.prompted()),
          "events.jsonl",
        ),
      ),
    expected: ["unknown", "process"],
  },
  {
    name: "its last event is torn",
    arrange: (home) =>
      appendFileSync(
        join(
          aLaunch(home, (it) => it.prompted()),
          "events.jsonl",
        ),
        '{"t":"stop","at":1',
      ),
    expected: ["running", "hook"],
  },
];

const event = (text: string) => ({ t: "event", event: newEvent({ type: "assistant_message", text }) }) as const;

const RUNS: readonly Situation[] = [
  { name: "run that has just begun", arrange: (home) => aRun(home), expected: ["unknown", "process"] },
  { name: "run that works", arrange: (home) => aRun(home).append(event("hm")), expected: ["running", "log"] },
  {
    name: "run without a line for long",
    arrange: (home) => aRun(home).append(event("hm")),
    seconds: 900,
    expected: ["stalled", "inferred"],
  },
  {
    name: "run whose clock was set back",
    arrange: (home) => aRun(home).append(event("hm")),
    wallSet: -HOUR,
    expected: ["unknown", "inferred"],
  },
  {
    name: "killed run",
    arrange: (home) => killOwner(aRun(home).folder),
    expected: ["interrupted", "process"],
  },
  { name: "run elsewhere", arrange: (home) => ownElsewhere(aRun(home).folder), expected: ["unknown", "process"] },
  {
    name: "run that ended well, without its seal",
    arrange: (home) => aRun(home).end(runEnd(0)),
    expected: ["claimed done", "log"],
  },
  { name: "run whose check failed", arrange: (home) => aRun(home).end(runEnd(4)), expected: ["failed", "log"] },
  { name: "denied run", arrange: (home) => aRun(home).end(runEnd(3)), expected: ["denied", "log"] },
  { name: "interrupted run", arrange: (home) => aRun(home).end(runEnd(130)), expected: ["interrupted", "log"] },
  {
    name: "verified run",
    arrange: (home) => aRun(home, aReceipt(home, { verified: "accepted" })).end(runEnd(0)),
    expected: ["verified", "log"],
  },
  {
    name: "run of a newer signalbox",
    arrange: (home) => writeFileSync(join(aRun(home).folder, "run.json"), '{"version":9}'),
    expected: ["unknown", "log"],
  },
];

const TALKS: readonly Situation[] = [
  {
    name: "conversation without a prompt",
    arrange: (home) => aConversation(home, [], true),
    expected: ["claimed done", "log"],
  },
  { name: "model is asked", arrange: (home) => aConversation(home, [prompt], true), expected: ["running", "log"] },
  {
    name: "model is asked for long",
    arrange: (home) => aConversation(home, [prompt], true),
    seconds: 900,
    expected: ["stalled", "inferred"],
  },
  {
    name: "runs a command",
    arrange: (home) => aConversation(home, [prompt, calls("a"), begun("a")], true),
    seconds: 60,
    expected: ["running", "log"],
  },
  {
    name: "a call has not begun for long",
    arrange: (home) => aConversation(home, [prompt, calls("a", "b"), begun("a"), done("a")], true),
    seconds: 60,
    expected: ["needs you", "inferred"],
  },
  {
    name: "a call is judged",
    arrange: (home) => aConversation(home, [prompt, calls("a")], true),
    expected: ["running", "log"],
  },
  {
    name: "all calls have ended",
    arrange: (home) => aConversation(home, [prompt, calls("a"), begun("a"), done("a")], true),
    seconds: 60,
    expected: ["running", "log"],
  },
  {
    name: "a sub-agent's call has not begun for long",
    arrange(home) {
      const id = aConversation(home, [prompt, calls("a"), begun("a")], true);
      using log = newAgentLog(home, id, { id: `${id}-1`, cwd: "/w", model: "m" });
      for (const record of [prompt, calls("b")]) log.append(record);
    },
    seconds: 60,
    expected: ["needs you", "inferred"],
  },
  {
    name: "waits for a prompt",
    arrange: (home) => aConversation(home, [prompt, rest("answered")], true),
    seconds: HOUR,
    expected: ["claimed done", "log"],
  },
  {
    name: "killed conversation",
    arrange: (home) => aConversation(home, [prompt, calls("a"), begun("a")], false),
    expected: ["interrupted", "log"],
  },
  {
    name: "ended at a limit, without a receipt",
    arrange: (home) => aConversation(home, [prompt, rest("limit")], false),
    expected: ["failed", "log"],
  },
  {
    name: "ended, and its receipt tells",
    arrange: (home) =>
      aReceipt(home, { session: aConversation(home, [prompt, rest("answered")], false), verified: "accepted" }),
    expected: ["verified", "log"],
  },
];

const RECEIPTS: readonly Situation[] = [
  { name: "a session that nobody checked", arrange: (home) => aReceipt(home, {}), expected: ["claimed done", "log"] },
  {
    name: "a session that changed its check",
    arrange: (home) => aReceipt(home, { verified: "changed_check" }),
    expected: ["failed", "log"],
  },
  {
    name: "an interrupted session",
    arrange: (home) => aReceipt(home, { stopped: "interrupted" }),
    expected: ["interrupted", "log"],
  },
  {
    name: "a receipt that was changed",
    arrange: (home) => appendFileSync(join(home, "receipts", `${aReceipt(home, { verified: "accepted" })}.json`), " "),
    expected: ["unknown", "log"],
  },
  {
    name: "a receipt that was removed",
    arrange: (home) => rmSync(join(home, "receipts", `${aReceipt(home, { verified: "accepted" })}.json`)),
    expected: ["verified", "log"],
  },
  {
    name: "a folder that is no run",
    arrange: (home) => aRun(home, randomUUID()).folder && rmSync(join(home, "runs"), { recursive: true }),
    expected: "nothing",
  },
];

test.each([...LAUNCHES, ...RUNS, ...TALKS, ...RECEIPTS])("$name", ({ arrange, expected, seconds = 0, wallSet = 0 }) => {
  const home = tempFolder();
  arrange(home);
  const clock = () => {
    const { at, up } = thisMoment();
    return { at: at + (seconds + wallSet) * 1000, up: up + seconds * 1000 };
  };
  const { entries, problems } = openBoard(home, clock).read();
  expect(problems).toEqual([]);
  expect(entries.map(({ state, source }) => [state, source])).toEqual(expected === "nothing" ? [] : [expected]);
  for (const { since } of entries) expect(since).toBeLessThanOrEqual(clock().at);
});
