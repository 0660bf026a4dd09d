import { expect, test } from "vitest";
import {
  asks,
  call,
  calls,
  fails,
  playSession,
  playTurns,
  priced,
  rehearsed,
  says,
  sessionParts,
  tool,
} from "../../../test/support/scripted-session.ts";
import type { UserMessage } from "../../contract/message.ts";
import { acceptanceGate, type Gate } from "./gates.ts";
import { openBudget } from "./processor.ts";
import { promptQueue } from "./run-session.ts";

const prompt = (text: string) => ({ id: text, message: { role: "user", text, source: "person" } as const });
const byGate = (text: string): UserMessage => ({ role: "user", text, source: "gate" });
const echo = tool("echo", () => ({ text: "ok", failed: false }));

test("prompts are answered one after the other, then the session rests", async () => {
  const { model, requests } = rehearsed(says("one"), says("two"));
  const parts = sessionParts(model, { queue: promptQueue([prompt("first"), prompt("second")]) });
  const { events, result } = await playSession([], parts);
  expect(requests.length).toBe(1);
  expect(result.history).toEqual([asks("first"), asks("second"), says("one")]);
  expect(events.at(-1)).toMatchObject({ type: "idle", outcome: { reason: "answered", text: "one", turns: 1 } });
});

test("a false done is caught by the acceptance check, and the reason goes to the model", async () => {
  const { model, requests } = rehearsed(says("All done!"), says("Now it is."));
  const outcomes = [
    { exitCode: 1, output: "1 test failed", timedOut: false },
    { exitCode: 0, output: "", timedOut: false },
  ];
  const gate = acceptanceGate("npm test", async () => outcomes.shift() ?? { exitCode: 0, output: "", timedOut: false });
  const parts = sessionParts(model, { queue: promptQueue([prompt("fix it")]), gates: [gate] });
  const { events, result } = await playSession([], parts);
  const reason = requests[1]?.history.at(-1);
  expect(reason).toEqual(byGate(expect.any(String)));
  expect(reason).toMatchObject({ text: expect.stringContaining("`npm test` failed with exit code 1") });
  expect(reason).toMatchObject({ text: expect.stringContaining("1 test failed") });
  expect(events.filter(({ type }) => type.startsWith("gate"))).toEqual([
    { type: "gate-blocked", gate: "acceptance", reason: expect.any(String) },
    { type: "gate-passed", gate: "acceptance" },
  ]);
  expect(result.outcome).toMatchObject({ reason: "answered", text: "Now it is.", turns: 2 });
});

const stubborn: Gate = { name: "stubborn", exitCode: 9, check: async () => "no" };

test("a gate that blocks eight times while nothing changes gives up, and the outcome says so", async () => {
  const { model, requests } = rehearsed();
  const parts = sessionParts(model, { queue: promptQueue([prompt("go")]), gates: [stubborn] });
  const { result } = await playSession([], parts);
  expect(requests.length).toBe(9);
  expect(result.outcome).toMatchObject({
    reason: "gate-gave-up",
    because: "the stubborn gate blocked 8 times in a row and nothing changed; its last reason: no",
  });
});

/** A state that changes with every request to the model, and whenever `state` is incremented. */
function changingWorld() {
  const world = { state: 0 };
  const { model, requests } = rehearsed();
  const working: typeof model = {
    ...model,
    ask: (request, signal) => {
      world.state++;
      return model.ask(request, signal);
    },
  };
  return { world, idle: model, working, requests, fingerprint: async () => String(world.state) };
}

test("a gate does not give up while the work changes something", async () => {
  const { world, working, fingerprint } = changingWorld();
  const twenty: Gate = { name: "twenty", exitCode: 9, check: async () => (world.state > 20 ? undefined : "go on") };
  const parts = sessionParts(working, { queue: promptQueue([prompt("go")]), gates: [twenty], fingerprint });
  const { result } = await playSession([], parts);
  expect(result.outcome).toMatchObject({ reason: "answered", turns: 21 });
});

test("what gates themselves change is no work", async () => {
  const { world, idle, requests, fingerprint } = changingWorld();
  let asked = 0;
  const changing = (name: string, word: () => string | undefined): Gate => ({
    name,
    exitCode: 9,
    check: async () => {
      world.state++;
      return word();
    },
  });
  const gates = [changing("sometimes", () => (++asked % 3 === 0 ? "no" : undefined)), changing("always", () => "no")];
  const parts = sessionParts(idle, { queue: promptQueue([prompt("go")]), gates, fingerprint });
  const { result } = await playSession([], parts);
  expect(requests.length).toBe(13);
  expect(result.outcome).toMatchObject({ because: expect.stringContaining("the always gate blocked 8 times") });
});

test("what a gate asks for counts against the limits of the prompt, and the next prompt has its own", async () => {
  let state = 0;
  const parts = (queued: readonly string[]) => {
    const { model, requests } = rehearsed();
    const gates = [stubborn];
    const fingerprint = async () => String(++state);
    const given = sessionParts(model, { queue: promptQueue(queued.map(prompt)), gates, fingerprint });
    return { requests, parts: { ...given, settings: { ...given.settings, turns: 3 } } };
  };
  const one = parts(["go"]);
  const { result } = await playSession([], one.parts);
  expect(one.requests.length).toBe(3);
  expect(result.outcome).toMatchObject({ reason: "limit", because: "3 turns used up" });

  const next = parts(["again"]);
  await playSession(result.history, next.parts);
  expect(next.requests.length).toBe(3);
});

test("gates are asked in order, a block without a reason is none, and agent-stop hooks come last", async () => {
  const asked: string[] = [];
  const gate = (name: string, word: string | undefined): Gate => ({
    name,
    exitCode: 9,
    check: async () => {
      asked.push(name);
      return word;
    },
  });
  const active: boolean[] = [];
  const agentStop = [
    async () => {
      throw new Error("hook broke");
    },
    async ({ stopHookActive }: { stopHookActive: boolean }) => {
      asked.push("agent-stop");
      active.push(stopHookActive);
      return stopHookActive ? undefined : { decision: "block" as const, reason: "write the changelog" };
    },
  ];
  const { model, requests } = rehearsed();
  const gates = [gate("one", undefined), gate("two", "  ")];
  const parts = sessionParts(model, { queue: promptQueue([prompt("go")]), gates, hooks: { agentStop } });
  const { events } = await playSession([], parts);
  expect(asked).toEqual(["one", "two", "agent-stop", "one", "two", "agent-stop"]);
  expect(active).toEqual([false, true]);
  expect(requests[1]?.history.at(-1)).toEqual(byGate("write the changelog"));
  expect(events.filter(({ type }) => type === "hook-failed")).toEqual([
    { type: "hook-failed", hook: "agentStop", because: "hook broke" },
    { type: "hook-failed", hook: "agentStop", because: "hook broke" },
  ]);
});

test.each([
  ["a rejection", "rejected"],
  ["a failure", "failed"],
  ["an abort", "aborted"],
  ["a limit", "limit"],
])("no gate is asked after %s", async (_, reason) => {
  const abort = new AbortController();
  const lines = {
    rejected: [calls(call("c", "echo"))],
    failed: [fails("refused")],
    aborted: [calls(call("c", "echo"))],
    limit: [{ ...says("x"), stop: "length" as const }],
  };
  const { model } = rehearsed(...(new Map(Object.entries(lines)).get(reason) ?? []));
  const processor = {
    name: "p",
    async preTools() {
      if (reason === "aborted") abort.abort();
      return reason === "rejected" ? [{ kind: "reject" as const, callId: "c", because: "no" }] : [];
    },
  };
  const never: Gate = { name: "never", exitCode: 9, check: async () => Promise.reject(new Error("asked")) };
  const parts = sessionParts(model, {
    queue: promptQueue([prompt("go")]),
    gates: [never],
    tools: [echo],
    processors: [processor],
    signal: abort.signal,
  });
  const { result } = await playSession([], parts);
  expect(result.outcome.reason).toBe(reason);
});

test("a prompt that arrives while tools run reaches the model with its next request", async () => {
  const queue = promptQueue([prompt("go")]);
  const busy = tool("busy", () => {
    queue.add(prompt("also this"));
    return { text: "ok", failed: false };
  });
  const { model, requests } = rehearsed(calls(call("c1", "busy")), says("both done"));
  const { result } = await playSession([], sessionParts(model, { queue, tools: [busy] }));
  expect(requests[1]?.history.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(result.outcome.text).toBe("both done");
});

test("hooks may change a prompt, add to it, refuse it, and change calls and results", async () => {
  const seen: unknown[] = [];
  const show = tool("show", (input) => {
    seen.push(input);
    return { text: "raw", failed: false };
  });
  const { model, requests } = rehearsed(calls(call("c1", "show", { n: 1 }), call("c2", "show", { n: 2 })));
  const hooks = {
    userPromptSubmitted: [
      async ({ prompt }: { prompt: string }) =>
        prompt === "bad"
          ? ({ decision: "block", reason: "no" } as const)
          : { modifiedPrompt: `${prompt}!`, additionalContext: "mind the tests" },
    ],
    preToolUse: [
      async ({ toolArgs }: { toolArgs: unknown }) =>
        JSON.stringify(toolArgs) === '{"n":2}'
          ? ({ permissionDecision: "deny", permissionDecisionReason: "two is too many" } as const)
          : { modifiedArgs: { n: 10 }, additionalContext: "checked" },
    ],
    postToolUse: [async () => ({ modifiedResult: { text: "cooked", failed: false } })],
  };
  const parts = sessionParts(model, { queue: promptQueue([prompt("bad"), prompt("go")]), tools: [show], hooks });
  const { events } = await playSession([], parts);
  expect(events[0]).toEqual({ type: "prompt-refused", promptId: "bad", because: "no" });
  expect(seen).toEqual([{ n: 10 }]);
  expect(requests[0]?.history).toEqual([asks("go!\n\nmind the tests")]);
  expect(requests[1]?.history.at(-1)).toEqual({
    role: "tool",
    results: [
      {
        callId: "c1",
        name: "show",
        text: `cooked\n\n[a hook changed the arguments of this call to: {"n":10}]\n\nchecked`,
        failed: false,
      },
      { callId: "c2", name: "show", text: "not allowed: two is too many", failed: true },
    ],
  });
});

test("a history that ends with results is gone on with, without a prompt", async () => {
  const history = [
    asks("go"),
    calls(call("c1", "echo")),
    { role: "tool" as const, results: [{ callId: "c1", name: "echo", text: "ok", failed: false }] },
  ];
  const { model } = rehearsed(says("finished"));
  const { result } = await playSession(history, sessionParts(model, { tools: [echo] }));
  expect(result.history).toEqual([...history, says("finished")]);
});

test("an answer that the gates had not judged when the session was interrupted is judged first", async () => {
  const { model, requests } = rehearsed(says("now it is"));
  const words = ["not yet", undefined];
  const gate: Gate = { name: "late", exitCode: 9, check: async ({ text }) => (text === "done" ? words[0] : words[1]) };
  const parts = sessionParts(model, { gates: [gate], unjudged: true });
  const { result } = await playSession([asks("go"), says("done")], parts);
  expect(requests.map(({ history }) => history.at(-1))).toEqual([byGate("not yet")]);
  expect(result.outcome).toMatchObject({ reason: "answered", text: "now it is" });
  const settled = await playSession([asks("go"), says("done")], sessionParts(model, { gates: [gate] }));
  expect(settled.events.map(({ type }) => type)).toEqual(["idle"]);
});

test("a run ends when it has cost what it may", async () => {
  const { model } = rehearsed(...Array.from({ length: 9 }, (_, n) => calls(call(`c${n}`, "echo"))));
  const queue = promptQueue([prompt("go")]);
  const { result } = await playSession(
    [],
    sessionParts(priced(model, 0.2), { queue, tools: [echo], budget: openBudget({ cost: 0.5 }, { now: () => 0 }) }),
  );
  expect(result.outcome).toMatchObject({ reason: "limit", turns: 3, usage: { input: 30, output: 3 } });
  expect(result.outcome.cost).toBeCloseTo(0.6);
});

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
