import { expect, test } from "vitest";
import { asks, call, calls, says } from "../../test/support/scripted-session.ts";
import { historyPieces, openHistory } from "./history.ts";

const ended = (callId: string, text: string) => ({
  type: "tool-end" as const,
  result: { callId, name: "look", text, failed: false },
});

test("results become one message in the order of the calls, when the last of them is in", () => {
  const history = openHistory();
  const answer = calls(call("a", "look"), call("b", "look"));
  history.apply({ type: "message", message: { role: "user", text: "go", source: "person" } });
  history.apply({ type: "message", message: answer });
  history.apply(ended("b", "second"));
  expect(history.messages).toEqual([asks("go"), answer]);
  history.apply(ended("a", "first"));
  expect(history.messages[2]).toMatchObject({ role: "tool", results: [{ text: "first" }, { text: "second" }] });
});

test("a call whose end never came gets a result that says whether it had started", () => {
  const history = openHistory([asks("go")]);
  history.apply({ type: "message", message: calls(call("a", "look"), call("b", "look")) });
  history.apply({ type: "tool-start", call: { id: "a" } });
  history.apply({ type: "message", message: { role: "user", text: "and now?", source: "person" } });
  expect(history.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(history.messages[2]).toMatchObject({
    results: [
      { callId: "a", failed: true, text: expect.stringContaining("may have taken effect") },
      { callId: "b", failed: true, text: expect.stringContaining("did not run") },
    ],
  });
});

test("a rebuilt history keeps by place, and adds the rest", () => {
  const before = [asks("one"), says("two"), asks("three"), says("four")];
  const [one = asks(""), , three = asks(""), four = asks("")] = before;
  const after = [one, asks("a summary"), three, four];
  const pieces = historyPieces(before, after);
  expect(pieces).toEqual([{ keep: [0, 1] }, { add: asks("a summary") }, { keep: [2, 4] }]);
  const history = openHistory(before);
  history.apply({ type: "history-replaced", pieces });
  expect(history.messages).toEqual(after);
});

test("events that are no edits change nothing", () => {
  const history = openHistory([asks("go")]);
  for (const type of ["turn-start", "usage", "idle", "toString"]) history.apply({ type });
  expect(history.messages).toEqual([asks("go")]);
});
