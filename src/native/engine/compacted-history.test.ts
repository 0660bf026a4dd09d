import { expect, test } from "vitest";
import { asks, call, calls, says } from "../../../test/support/scripted-session.ts";
import { PLAN_APPROVED } from "../../contract/engine-settings.ts";
import { Message } from "../../contract/message.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { obligationsIn, rebuilt, statedIn } from "./compacted-history.ts";

const called = (name: string, input: Record<string, unknown> = {}): readonly Message[] => [
  calls(call(name, name, input)),
  { role: "tool", results: [{ callId: name, name, text: "…", failed: false }] },
];

const count = (messages: readonly Message[]) => JSON.stringify(messages).length / 4;

/** Shortened, and read from a log again. All but the last two messages are summarised. */
const shortened = (history: readonly Message[], limit = 100_000): readonly Message[] =>
  rebuilt(history, { cut: history.length - 2, summary: "Title\nShort.", standing: [], count, limit }).map((message) =>
    Message.parse(parseJson(JSON.stringify(message))),
  );

const times = (most: number, history: readonly Message[]): readonly Message[] =>
  most === 0 ? history : times(most - 1, [...shortened(history), ...called(`work-${most}`)]);

const PLAN = "1. Change a.ts\n2. Run the tests\n\nUncertain: nothing.";

test.each([1, 2, 3])("after %i shortenings the plan that was approved is there word for word, once", (most) => {
  const history = [asks("Plan it."), says("A first idea."), asks("Shorter."), says(PLAN), asks(PLAN_APPROVED)];
  const after = times(most, [...history, ...called("read"), ...called("write")]);
  expect(after.filter((message) => JSON.stringify(message).includes("Run the tests"))).toEqual([
    { role: "user", text: `The plan that the user approved:\n\n${PLAN}`, source: "state" },
  ]);
  expect(JSON.stringify(after)).not.toContain("A first idea");
});

test("a plan that nobody approved, and one that is still there, are not repeated", () => {
  const open = [asks("Plan it."), says(PLAN), asks("And now something else."), ...called("read")];
  expect(JSON.stringify(times(2, open))).not.toContain("Run the tests");
  const recent = [asks("Look."), ...called("read"), asks("Plan it."), says(PLAN), asks(PLAN_APPROVED)];
  expect(JSON.stringify(shortened(recent)).split("Run the tests")).toHaveLength(2);
});

test("a long plan is cut in the middle in a small window", () => {
  const history = [asks("Plan it."), says("x".repeat(50_000)), asks(PLAN_APPROVED), ...called("read"), ...called("a")];
  expect(JSON.stringify(shortened(history, 8_000)).length).toBeLessThan(5_000);
});

test.each([1, 2, 3])("after %i shortenings the skills that were read are named", (most) => {
  const history = [asks("Go."), ...called("skill", { name: "release-notes" }), ...called("skill-b"), ...called("c")];
  const after = JSON.stringify(times(most, history));
  expect(after.split("to be read again when they are needed: release-notes")).toHaveLength(2);
});

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
