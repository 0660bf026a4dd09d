import { expect, test } from "vitest";
import {
  asks,
  call,
  calls,
  playSession,
  playTurns,
  rehearsed,
  says,
  sessionParts,
  tool,
} from "../../../test/support/scripted-session.ts";
import type { Gate } from "./gates.ts";
import { promptQueue } from "./run-session.ts";

const prompt = (text: string) => ({ id: text, message: { role: "user", text, source: "person" } as const });
/** Two tools that keep the order in which they ran: one works, the other ends the run. */
function twoTools(fails: boolean) {
  const order: string[] = [];
  const step = tool("step", () => {
    order.push("step");
    return { text: fails ? "it failed" : "ok", failed: fails };
  });
  const finish = tool("finish", () => {
    order.push("finish");
    return { text: "noted", failed: false, ends: { summary: "all done" } };
  });
  return { order, tools: [{ ...finish, endsRun: true }, step] };
}

test("a call that ends the run comes after the other calls of its answer", async () => {
  const { order, tools } = twoTools(false);
  const { model, requests } = rehearsed(calls(call("a", "finish"), call("b", "step"), call("c", "step")));
  const { result } = await playTurns([asks("go")], sessionParts(model, { tools }));
  expect([order, result.reason, requests.length]).toEqual([["step", "step", "finish"], "answered", 1]);
  expect(result.history.at(-1)).toMatchObject({ results: [{ callId: "a" }, { callId: "b" }, { callId: "c" }] });
});

test("it is not taken when one of them failed, and the model is told to look first", async () => {
  const { order, tools } = twoTools(true);
  const { model, requests } = rehearsed(calls(call("a", "finish"), call("b", "step")), says("I see."));
  const { result } = await playTurns([asks("go")], sessionParts(model, { tools }));
  expect([order, result.reason, requests.length]).toEqual([["step"], "answered", 2]);
  expect(requests[1]?.history.at(-1)).toMatchObject({
    results: [
      { callId: "a", failed: true, text: expect.stringContaining("another call of the same answer failed") },
      { callId: "b" },
    ],
  });
});

const objecting = (more: Partial<Gate>): Gate => ({
  name: "g",
  exitCode: 9,
  most: 2,
  check: async () => "no",
  ...more,
});

/** A session whose tree changes with every look. */
async function changing(gate: Gate, blocked?: ReadonlyMap<string, number>) {
  let state = 0;
  const { model, requests } = rehearsed();
  const queue = blocked === undefined ? promptQueue([prompt("go")]) : promptQueue();
  const parts = sessionParts(model, {
    queue,
    gates: [gate],
    fingerprint: async () => String(++state),
    blocked,
    unjudged: blocked !== undefined,
  });
  const { result } = await playSession(blocked === undefined ? [] : [asks("go"), says("done")], parts);
  return { outcome: result.outcome, requests: requests.length };
}

test("a gate may count every block, whatever changes, and may call giving up a limit", async () => {
  const gate = objecting({ countsAll: true, exitCode: 5, cutsOff: (most) => `cut off after ${most}` });
  const { outcome, requests } = await changing(gate);
  expect([requests, outcome]).toEqual([
    3,
    expect.objectContaining({ reason: "limit", because: "cut off after 2", gate: "g", exitCode: 5 }),
  ]);
});

test("a gate may see work that the tree does not show", async () => {
  let left = 6;
  const { model } = rehearsed();
  const gate = objecting({ state: () => String(left), check: async () => (--left === 0 ? undefined : "more") });
  const { result } = await playSession([], sessionParts(model, { queue: promptQueue([prompt("go")]), gates: [gate] }));
  expect(result.outcome).toMatchObject({ reason: "answered", turns: 6 });
});

test("blocks before an interruption count, and a new prompt starts anew", async () => {
  const gate = objecting({ countsAll: true });
  expect(await changing(gate, new Map([["g", 1]]))).toMatchObject({ requests: 1, outcome: { reason: "gate-gave-up" } });
  expect(await changing(gate, new Map())).toMatchObject({ requests: 2 });
});
