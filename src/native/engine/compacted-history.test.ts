import { expect, test } from "vitest";
import { asks, call, calls, says } from "../../../test/support/scripted-session.ts";
import { PLAN_APPROVED } from "../../contract/engine-settings.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { Message } from "../../contract/message.ts";
import { rebuilt } from "./compacted-history.ts";

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
