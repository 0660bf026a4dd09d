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
import type { Tool } from "../../contract/tool.ts";
import type { Gate } from "./gates.ts";
import { openBudget, type Processor } from "./processor.ts";
import { promptQueue } from "./run-session.ts";

const ok = () => ({ text: "ok", failed: false });
const prompt = (text: string) => ({ id: text, message: { role: "user", text, source: "person" } as const });

test("a processor changes the history only by its events, and each one sees the changes of those before it", async () => {
  const seen: number[] = [];
  const adding = (text: string): Processor => ({
    name: text,
    async *preRequest({ history }) {
      seen.push(history.length);
      yield { type: "message", message: { role: "user", text, source: "hook" } };
    },
  });
  const { model, requests } = rehearsed(says("fine"));
  const parts = sessionParts(model, { processors: [adding("one"), adding("two")] });
  const { result } = await playTurns([asks("go")], parts);
  expect(seen).toEqual([1, 2]);
  expect(requests[0]?.history).toHaveLength(3);
  expect(result.history).toHaveLength(4);
});

test("what is added to a request is neither in the history nor in the next request", async () => {
  let turn = 0;
  const state: Processor = { name: "state", decorate: async () => [`turn ${++turn}`] };
  const { model, requests } = rehearsed(calls(call("c1", "look")), says("fine"));
  const { result } = await playTurns(
    [asks("go")],
    sessionParts(model, { tools: [tool("look", ok)], processors: [state] }),
  );
  expect(requests.map(({ tail }) => tail)).toEqual([["turn 1"], ["turn 2"]]);
  expect(JSON.stringify(result.history)).not.toContain("turn 1");
});

test("tools may come and go between turns; new ones are offered last, and the place of a tool never changes", async () => {
  const [a, b, c] = [tool("a", ok), tool("b", ok), tool("c", ok)];
  const sets: readonly (readonly Tool[])[] = [
    [b, c],
    [a, c, b],
    [a, c],
  ];
  let turn = 0;
  const { model, requests } = rehearsed(calls(call("1", "c")), calls(call("2", "a")), calls(call("3", "b")));
  const parts = { ...sessionParts(model), tools: () => sets[Math.min(turn++, 2)] ?? [] };
  const { result } = await playTurns([asks("go")], parts);
  expect(requests.map(({ tools }) => tools.map(({ name }) => name).join(""))).toEqual(["bc", "bca", "ca", "ca"]);
  // The third call is for a tool that is gone.
  expect(result.history[6]).toMatchObject({
    results: [{ failed: true, text: "unknown tool b; available tools: a, c" }],
  });
});

test("of hundreds of tools, only those with a similar name are named", async () => {
  const tools = Array.from({ length: 300 }, (_, n) => tool(n === 7 ? "search_issues" : `other_${n}`, ok));
  const { model } = rehearsed(calls(call("1", "serch_issues"), call("2", "zzz")));
  const { result } = await playTurns([asks("go")], sessionParts(model, { tools }));
  expect(result.history[2]).toMatchObject({
    results: [
      { text: "unknown tool serch_issues; similar tools: search_issues" },
      { text: "unknown tool zzz; no tool has a similar name" },
    ],
  });
});

test("a call may end the run; the gates still judge it, and a new prompt goes on from there", async () => {
  const done = tool("task_complete", () => ({ text: "noted", failed: false, ends: { summary: "all is well" } }));
  const { model, requests } = rehearsed(calls(call("c1", "task_complete"), call("c2", "look")), says("again"));
  const judged: string[] = [];
  const gate: Gate = { name: "g", exitCode: 9, check: async ({ text }) => void judged.push(text) };
  const parts = { tools: [done, tool("look", ok)], gates: [gate] };
  const { result } = await playSession([], sessionParts(model, { ...parts, queue: promptQueue([prompt("go")]) }));
  expect([requests.length, judged, result.outcome]).toMatchObject([
    1,
    ["all is well"],
    { reason: "answered", text: "all is well" },
  ]);
  // A session that is opened again does not ask the model about it.
  await playSession(result.history, sessionParts(model, parts));
  expect(requests.length).toBe(1);
  await playSession(result.history, sessionParts(model, { ...parts, queue: promptQueue([prompt("more")]) }));
  expect(requests[1]?.history.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
});

test("a tool says for each input whether it may run beside others, and passes on what its sub-agent does", async () => {
  const log: string[] = [];
  const task: Tool = {
    ...tool("task", async ({ n }, { emit }) => {
      log.push(`${String(n)} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      emit(`agent ${String(n)}`, { type: "text-delta", text: "hm" });
      log.push(`${String(n)} ends`);
      return ok();
    }),
    sideBySide: (input) => JSON.stringify(input) !== '{"n":3}',
  };
  const { model } = rehearsed(calls(...[1, 2, 3].map((n) => call(`c${n}`, "task", { n }))));
  const { events } = await playTurns([asks("go")], sessionParts(model, { tools: [task] }));
  expect(log).toEqual(["1 begins", "2 begins", "1 ends", "2 ends", "3 begins", "3 ends"]);
  expect(events.filter(({ type }) => type === "child")).toEqual(
    [1, 2, 3].map((n) => ({
      type: "child",
      agent: `agent ${n}`,
      callId: `c${n}`,
      event: { type: "text-delta", text: "hm" },
    })),
  );
});

test("a budget counts everything that is charged, and says which limit was reached", () => {
  let now = 100;
  const budget = openBudget({ turns: 3, cost: 1, deadline: 200 }, { now: () => now, spent: { turns: 1, cost: 0.25 } });
  expect(budget.left()).toEqual({ turns: 2, cost: 0.75, ms: 100 });
  expect(budget.over()).toBeUndefined();
  budget.charge({ turns: 2 });
  expect(budget.over()).toBe("3 turns used up");
  budget.charge({ cost: 5 });
  expect([budget.over(), budget.left().cost]).toEqual(["the session cost $5.25", 0]);
  expect(openBudget({}, { now: () => now }).left()).toEqual({ turns: undefined, cost: undefined, ms: undefined });
  now = 250;
  expect(openBudget({ deadline: 200 }, { now: () => now }).over()).toBe("the time is over");
});

test("a gate brings its own limit and its own exit code, and sees what was done", async () => {
  const seen: unknown[] = [];
  const write = tool("write", () => ({ ...ok(), deeds: [{ kind: "write", path: "/a", before: null, after: "x" }] }));
  const strict: Gate = {
    name: "strict",
    exitCode: 9,
    most: 2,
    async check({ metrics: { turns, written } }) {
      seen.push([turns, [...written]]);
      return "no";
    },
  };
  const { model } = rehearsed(calls(call("c1", "write")));
  const parts = sessionParts(model, { tools: [write], gates: [strict], queue: promptQueue([prompt("go")]) });
  const { result } = await playSession([], parts);
  expect(seen).toEqual([
    [2, ["/a"]],
    [3, ["/a"]],
    [4, ["/a"]],
  ]);
  expect(result.outcome).toMatchObject({ reason: "gate-gave-up", exitCode: 9 });
  expect(result.outcome.because).toContain("the strict gate blocked 2 times in a row");
});
