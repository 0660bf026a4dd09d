import { expect, test } from "vitest";
import { gateReason } from "../../contract/gate-reason.ts";
import { callLine, describeEvent, outcomeLines } from "./event-lines.ts";

test("a search shows what it looks for, and where unless that is the whole workspace", () => {
  expect(callLine({ name: "grep", input: { pattern: "TODO", path: "." } })).toBe("grep TODO");
  expect(callLine({ name: "glob", input: { pattern: "**/*.ts" } })).toBe("glob **/*.ts");
  expect(callLine({ name: "grep", input: { pattern: "TODO", path: "src" } })).toBe("grep TODO in src");
});

test("a long pattern does not hide where it is looked for", () => {
  expect(callLine({ name: "grep", input: { pattern: "x".repeat(4000), path: "/etc/passwd" } })).toBe(
    `grep ${"x".repeat(49)}… in /etc/passwd`,
  );
});

test("other calls show their most telling argument", () => {
  expect(callLine({ name: "bash", input: { command: "ls\n  -l", cwd: "src" } })).toBe("bash ls ⏎ -l");
  expect(callLine({ name: "read", input: { path: "." } })).toBe("read .");
  expect(callLine({ name: "todo", input: {} })).toBe("todo");
  expect(callLine({ name: "other", input: { depth: 1 } })).toBe('other {"depth":1}');
  expect(callLine({ name: "other", input: "text" })).toBe("other");
});

const failed = (text: string) =>
  describeEvent({
    type: "tool-end",
    result: { callId: "1", name: "bash", text, failed: true },
    ran: false,
    deeds: [],
  });

test("a denial is shown whole and for a person, a rejection not at all, another failure in one line", () => {
  const long = "x".repeat(300);
  expect(failed(`not allowed: Blocked \`${long}\`: no (rule r). Instead: y. Do not retry it in another form.`)).toBe(
    `  denied: Blocked \`${long}\`: no (rule r).`,
  );
  expect(failed("the user rejected this call: the person said no")).toBe(undefined);
  expect(failed(`exit code 1\n${long}`)).toBe(`  failed: exit code 1 ${"x".repeat(147)}…`);
});

test("a failed request says why, and when it is tried again unless it is changed first", () => {
  const describe = (retryInMs: number | null) =>
    describeEvent({ type: "request-failed", because: "HTTP 413: too large", status: 413, tries: 1, retryInMs });
  expect([0, 500, null].map(describe)).toEqual([
    "the model failed (HTTP 413: too large)",
    "the model failed (HTTP 413: too large); retrying in 0.5 s",
    "the model failed: HTTP 413: too large",
  ]);
});

test("a check that never passed ends with what it printed, once, and the verdict", () => {
  const because =
    "the acceptance gate blocked 8 times in a row; its last reason: This is not finished: `t` failed.\nThe end of its output:\nred\nFind the cause, change what is needed, run the check yourself, and only then say that you are done.";
  expect(outcomeLines({ reason: "gate-gave-up", because })).toEqual([
    "the end of the check's output:\nred",
    "not accepted: `t` failed (the acceptance gate blocked 8 times in a row)",
  ]);
  expect(outcomeLines({ reason: "limit", because: "10 turns" })).toEqual(["limit: 10 turns"]);
});

test("a changed check ends with the way to allow the change", () => {
  const because =
    "the acceptance gate blocked 8 times in a row; its last reason: This is not finished: the acceptance check was changed, and does not count: `t` passes only with changed files: t (edited).";
  expect(outcomeLines({ reason: "gate-gave-up", because })).toEqual([
    "accepted by a changed check: `t` passes only with changed files: t (edited) (the acceptance gate blocked 8 times in a row)",
    "fix: restore these files, or if the task was to change them: signalbox native --accept-changed GLOB",
  ]);
});

test("an intent is a sentence, and a call without one is shown as it is", () => {
  const line = (input: unknown) =>
    describeEvent({ type: "tool-start", call: { id: "1", name: "report_intent", input } });
  expect(line({ intent: "Write\nthe \u001b[2J tests" })).toBe("next: Write the \\u{1b}[2J tests");
  expect(line({ intent: "x".repeat(500) })?.length).toBe(206);
  expect(line({ intent: 7 })).toBe('· report_intent {"intent":7}');
});

test("each way to end without being done has its own words, and the gate is named", () => {
  const because = (gate: string, reason: string) =>
    `the ${gate} gate blocked 3 times in a row and nothing changed; its last reason: ${reason}`;
  const effort = because("effort", gateReason("the task asks for a change, and nothing was changed", "Make it."));
  expect([
    outcomeLines({ reason: "gate-gave-up", gate: "effort", because: effort }),
    outcomeLines({ reason: "gate-gave-up", gate: "agent-stop", because: because("agent-stop", "no\x1b[2J") }),
    outcomeLines({ reason: "no-progress", because: "the same call had the same result 11 times in a row" }),
    outcomeLines({ reason: "limit", gate: "autopilot", because: "cut off: it stopped 6 times" }),
  ]).toEqual([
    [
      "not finished: the task asks for a change, and nothing was changed (the effort gate blocked 3 times in a row and nothing changed)",
    ],
    [expect.stringMatching(/^not finished: no[^\x1b]* \(the agent-stop gate/)],
    ["no progress: the same call had the same result 11 times in a row"],
    ["limit: cut off: it stopped 6 times"],
  ]);
  expect(
    describeEvent({ type: "gate-blocked", gate: "effort", reason: gateReason("nothing was run", "Run it.") }),
  ).toBe("not finished (effort): nothing was run");
  expect(describeEvent({ type: "loop-noticed", because: "the same call" })).toBe(
    "no progress: the same call; the model was told to try another way",
  );
});
