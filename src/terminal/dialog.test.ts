import { expect, test } from "vitest";
import type { OfferedRule, PermissionAnswer, PermissionQuestion } from "../contract/tool.ts";
import { PermissionDialog, picker, questionDialog } from "./dialog.ts";
import { styleFor } from "./style.ts";

const style = styleFor({ NO_COLOR: "1" });
const plain = (lines: readonly string[]) =>
  // oxlint-disable-next-line no-control-regex -- colours and the mark of the cursor
  lines.map((line) => line.replaceAll(/\u001b\[\d*m|\u001b_pi:c\u0007/g, "").trimEnd());

const QUESTION: PermissionQuestion = {
  call: { id: "1", name: "bash", input: { command: "git push" } },
  because: "needs your login. To stop being asked: x",
  canRemember: true,
};

interface Given {
  readonly question?: Partial<PermissionQuestion>;
  readonly rule?: OfferedRule;
  readonly whole?: boolean;
}

function dialog({ question = {}, rule = { because: "no" }, whole = true }: Given = {}) {
  const answers: PermissionAnswer[] = [];
  const parts = {
    why: "needs your login",
    lends: ["lend a.org"],
    details: () => "ASK  git push\n",
    rule: async () => rule,
  };
  const words = {
    event: () => undefined,
    outcome: () => [],
    call: () => "bash git push",
    question: () => ({ text: "bash git push", whole }),
  };
  const shown = new PermissionDialog(
    { ...QUESTION, parts, ...question },
    { style, words, redraw: () => {}, isArmed: () => true, answer: (answer) => void answers.push(answer) },
  );
  const type = (text: string) => text.split("").map((key) => shown.onKey(key));
  return { shown, answers, type, screen: () => plain(shown.render(80, 24)) };
}

const CHOICES = "  y once · s this session · a always · n no, with a word · d details";

test("a question says what, why and what would be lent", () => {
  const { screen } = dialog();
  expect(screen()).toEqual([
    "? Allow this call?",
    "  bash git push",
    "  why: needs your login",
    "  a yes would: lend a.org",
    CHOICES,
  ]);
});

test.each([
  ["y", "once"],
  ["Y", "once"],
  ["s", "session"],
  ["\u001b", "reject"],
  ["\u0003", "reject"],
  ["n\r", "reject"],
  ["nuse a tag\r", { instead: "use a tag" }],
])("%j answers %j", (keys, expected) => {
  const { answers, type } = dialog();
  type(keys);
  expect(answers).toEqual([expected]);
});

test("a wrong key answers nothing and asks again", () => {
  const { answers, type, screen } = dialog();
  expect(type("x\r")).toEqual([false, false]);
  expect(answers).toEqual([]);
  expect(screen().slice(-2)).toEqual(["  please press y, s, a, n, d", CHOICES]);
});

test("a call that cannot be seen whole, or must not be remembered, is allowed once at most", () => {
  for (const given of [{ whole: false }, { question: { canRemember: false } }]) {
    const { answers, type, screen } = dialog(given);
    expect(type("sa")).toEqual([false, false]);
    expect([answers, screen().at(-1)]).toEqual([[], "  y once · n no, with a word · d details"]);
  }
});

test("a rule is shown before it is written, and written by another yes only", async () => {
  let written = 0;
  const rule = { file: "/h/policy.yaml", text: "+  argv: [git, push]\n", write: () => void written++ };
  const { answers, type, screen } = dialog({ rule });
  type("a");
  await expect
    .poll(() => screen().slice(-3))
    .toEqual([
      "  This would be written to /h/policy.yaml:",
      "  +  argv: [git, push]",
      "  y write it and allow · any other key goes back",
    ]);
  type("x");
  expect([answers, written, screen().at(-1)]).toEqual([[], 0, CHOICES]);
  type("a");
  await expect.poll(() => screen().at(-1)).toContain("write it and allow");
  type("y");
  expect([answers, written]).toEqual([["always"], 1]);
});

test("where no rule is possible, that is said, and nothing is allowed", async () => {
  const { answers, type, screen } = dialog({ rule: { because: "a floor" } });
  type("a");
  await expect.poll(() => screen().at(-2)).toBe("  No rule can allow it: a floor");
  type("y");
  expect([answers, screen().at(-1)]).toEqual([[], CHOICES]);
});

test("a question of the model takes a number or other words", () => {
  const answers: string[] = [];
  const parts = { style, redraw: () => {}, answer: (answer: string) => void answers.push(answer) };
  const asked = { question: "Which?", choices: ["red", "blue\u001b[2J"] };
  for (const keys of ["2\r", "green\r", "\r"]) {
    const shown = questionDialog(asked, parts);
    for (const key of keys) shown.onKey(key);
  }
  expect(answers).toEqual(["blue\u001b[2J", "green"]);
  expect(plain(questionDialog(asked, parts).render(60, 24)).slice(0, 3)).toEqual([
    "? Which?",
    "  1. red",
    String.raw`  2. blue\u{1b}[2J`,
  ]);
});

test("a list is narrowed by typing, and nothing is chosen with Esc", () => {
  const answers: (string | undefined)[] = [];
  const choices = ["one", "two", "three"].map((text) => ({ value: text.toUpperCase(), text }));
  const parts = { style, redraw: () => {}, title: "Search:", choices };
  for (const keys of ["t\u001b[B\r", "zz\r", "\u001b"]) {
    const list = picker({ ...parts, answer: (answer) => void answers.push(answer) });
    for (const key of keys === "\u001b" ? [keys] : (keys.match(/\u001b\[B|./gs) ?? [])) list.onKey(key);
  }
  expect(answers).toEqual(["THREE", undefined, undefined]);
});
