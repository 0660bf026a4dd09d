import { expect, test } from "vitest";
import { asks, call, calls, says } from "../../../test/support/scripted-session.ts";
import type { Message, UserMessage } from "../../contract/message.ts";
import { loopWarning, progressTrail } from "./progress.ts";

const looked = (id: string, text = "nothing"): readonly Message[] => [
  calls(call(id, "look")),
  { role: "tool", results: [{ callId: id, name: "look", text, failed: false }] },
];

const told = (source: UserMessage["source"]): Message => ({ role: "user", text: "…", source });

const after = (...messages: readonly Message[]) => {
  const { steps, quiet } = progressTrail(messages);
  return { steps: steps.length, quietTurns: quiet.turns, isTold: quiet.isTold };
};

const TWICE = [asks("go"), ...looked("a"), ...looked("b")];

test.each(["jit-instruction", "state", "summary"] as const)(
  "a message of the engine (%s) begins nothing new",
  (source) => {
    expect(after(...TWICE, told(source), ...looked("c"))).toEqual({ steps: 3, quietTurns: 2, isTold: false });
  },
);

test.each(["person", "gate", "agent", "hook"] as const)("a message of somebody else (%s) does", (source) => {
  expect(after(...TWICE, told(source), ...looked("c"))).toEqual({ steps: 1, quietTurns: 0, isTold: false });
});

test("replacing the history changes nothing, and taking turns back begins anew", () => {
  const trail = progressTrail(TWICE);
  trail.apply({ type: "history-replaced", pieces: [] });
  expect([trail.steps.length, trail.quiet.turns]).toEqual([2, 1]);
  trail.clear();
  expect([trail.steps.length, trail.quiet.turns, trail.last]).toEqual([0, 0, undefined]);
});

test("a warning is remembered until something new comes", () => {
  const warned = [...TWICE, loopWarning("it repeats")];
  expect(after(...warned, ...looked("c"))).toEqual({ steps: 3, quietTurns: 2, isTold: true });
  expect(after(...warned, ...looked("c", "something"))).toEqual({ steps: 3, quietTurns: 0, isTold: false });
});

test("a turn that was interrupted, and an answer without calls, are no turns of it", () => {
  expect(after(...TWICE, calls(call("c", "look")), says("done"))).toEqual({ steps: 2, quietTurns: 1, isTold: false });
});

test("a new state is something new, and one that was there before is not", () => {
  const trail = progressTrail(TWICE);
  const look = (state: string) => {
    trail.noteState(state);
    return [trail.quiet.turns, trail.quiet.isCompared];
  };
  // Nothing is known about the first: there is no other to compare it with.
  expect(["s1", "s1", "s2", "s2", "s1"].map(look)).toEqual([
    [1, false],
    [1, true],
    [0, false],
    [0, true],
    [0, true],
  ]);
});
