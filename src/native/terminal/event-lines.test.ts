import { expect, test } from "vitest";
import { gateReason } from "../../contract/gate-reason.ts";
import { callLine, describeEvent, outcomeLines, showCall } from "./event-lines.ts";

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

const bash = (command: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name: "bash",
  input: { command, ...more },
});

test("a call is shown whole, with its line breaks and everything that it was given", () => {
  expect(showCall(bash("git status"))).toEqual({ text: "bash git status", whole: true });
  expect(showCall(bash("git status", { mode: "sync", timeout_seconds: 120 })).text).toBe("bash git status");
  expect(showCall(bash(`echo ${"a".repeat(3000)}; touch b`))).toEqual({
    text: `bash echo ${"a".repeat(3000)}; touch b\n  (3,014 characters, 1 line: scroll up for the start)`,
    whole: true,
  });
  expect(showCall(bash("git push # harmless\ntouch b\n", { cwd: "sub", mode: "detached" }))).toEqual({
    text: 'bash\n  │ git push # harmless\n  │ touch b\n  │ \n  cwd: "sub"\n  mode: "detached"',
    whole: true,
  });
  const path = `/etc/${"x".repeat(200)}/passwd`;
  expect(showCall({ name: "write", input: { path, content: "a\nb" } })).toEqual({
    text: `write ${path}\n  content: "a\\nb"`,
    whole: true,
  });
  expect(showCall({ name: "other", input: { a: 1 } })).toEqual({ text: 'other {"a":1}', whole: true });
});

test("a command that is taller than a screen says so where the question is", () => {
  const pushedUp = showCall(bash(`touch unseen; ${"\n".repeat(30)}git status`));
  expect(pushedUp.text).toMatch(
    /^bash\n {2}│ touch unseen; \n[^]*\n {2}│ git status\n {2}\(54 characters, 31 lines: scroll up for the start\)$/,
  );
  expect(showCall(bash(`touch unseen; ${" ".repeat(900)}git status`)).text).toMatch(
    /\n {2}\(924 characters, 1 line: scroll up for the start\)$/,
  );
});

test("tabs count for what they take on a screen", () => {
  expect(showCall(bash(`touch unseen; ${"\t".repeat(100)}git status`)).text).toMatch(/\(124 characters, 1 line: /);
});

test("nothing of a call can steer the terminal", () => {
  const hostile = "\u001b[2J\r\u0008\u009b1m\u202e\u2028";
  const { text } = showCall({ name: `n${hostile}`, input: { command: hostile, [hostile]: hostile } });
  const escaped = String.raw`\u{1b}[2J\u{d}\u{8}\u{9b}1m\u{202e}\u{2028}`;
  expect(text).toContain(`n${escaped} ${escaped}\n  ${escaped}: `);
  // oxlint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2028]/);
});

test("what is too long to show is counted", () => {
  expect(showCall(bash(`echo ${"a".repeat(4000)}`))).toEqual({
    text: `bash echo ${"a".repeat(3995)}\n  … not shown: 5 more characters\n  (4,005 characters, 1 line: scroll up for the start)`,
    whole: false,
  });
  const many = showCall(bash("a\n".repeat(2000)));
  expect([many.whole, many.text.split("\n").length]).toEqual([false, 63]);
  expect(many.text).toMatch(
    / {2}│ a\n {2}… not shown: 3,881 more characters, 1,941 more lines\n {2}\(4,000 characters, 2,001 lines: scroll up for the start\)$/,
  );
  expect(showCall({ name: "write", input: { path: "a", content: "b".repeat(1000) } })).toEqual({
    text: `write a\n  content: "${"b".repeat(399)}… not shown: 602 more characters`,
    whole: false,
  });
});

test("in one line a line break is visible", () => {
  expect(callLine(bash("git push # harmless\n  touch b"))).toBe("bash git push # harmless ⏎ touch b");
});
