import { expect, test } from "vitest";
import { asks, call, calls, says } from "../../../test/support/scripted-session.ts";
import { obligationsIn, statedIn } from "./compacted-history.ts";

test.each([
  ["Decision: use SQLite.", [["decision", "use SQLite."]]],
  ["- **Constraint:** keep the tabs", [["constraint", "keep the tabs"]]],
  ["## Decided: none of it", [["decision", "none of it"]]],
  [
    "Constraints:\n\n- one\n* two\n3. three\n\nOther:\n- four",
    [
      ["constraint", "one"],
      ["constraint", "two"],
      ["constraint", "three"],
    ],
  ],
  ["Constraint:\n\n## Next heading", []],
  ["The decision: hard to make", []],
])("%j states what it says, and nothing else", (text, stated) => {
  expect(statedIn(text).map(({ kind, text: what }) => [kind, what])).toEqual(stated);
});

test("a text of blank lines and one endless line are read in no time", () => {
  expect(statedIn(`${"\n".repeat(400_000)}x`)).toEqual([]);
  expect(statedIn(`${" ".repeat(400_000)}Decision: x`)).toEqual([]);
});

test("an answer of the person is kept whole, however long the question was", () => {
  const answer = "never touch the production database, and use postgres 16";
  const history = [
    asks("go"),
    calls(call("c", "ask_user", { question: "Which one? ".repeat(150) })),
    {
      role: "tool" as const,
      results: [{ callId: "c", name: "ask_user", text: `The person answered: ${answer}`, failed: false }],
    },
  ];
  expect(obligationsIn(history)).toEqual([{ kind: "decision", text: expect.stringContaining(answer) }]);
});

test("the objection of a gate is open until the model has come to an end again", () => {
  const gate = { role: "user" as const, text: "the tests fail", source: "gate" as const };
  expect(obligationsIn([asks("go"), says("done"), gate])).toEqual([{ kind: "check", text: "the tests fail" }]);
  expect(obligationsIn([asks("go"), says("done"), gate, says("now it is")])).toEqual([]);
});
