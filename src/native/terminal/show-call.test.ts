import { expect, test } from "vitest";
import { callLine, showCall } from "./event-lines.ts";

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
