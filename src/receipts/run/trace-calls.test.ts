import { expect, test } from "vitest";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { openTraceCalls, type TraceCalls } from "./trace-calls.ts";

const shell = (id: string | null, command: string) =>
  newEvent({ type: "tool_call", tool_name: "shell", tool_use_id: id, input: { command } });
const result = (id: string | null, output: unknown = "ok", is_error = false) =>
  newEvent({ type: "tool_result", tool_name: "shell", tool_use_id: id, output, is_error });
const say = (text: string) => newEvent({ type: "assistant_message", text });

const bash = (command: string, id?: string) => ({ tool: "Bash", input: { command }, id });
const YES = { verdict: "allow", because: "" } as const;
const NO = { verdict: "deny", because: "not here" } as const;
const DENIED = { denied: true, reason: "not here" };

type Step = AgentEvent | ((calls: TraceCalls) => void);
const judge =
  (call: Parameters<TraceCalls["judged"]>[0], answer: Parameters<TraceCalls["judged"]>[1] = YES): Step =>
  (calls) =>
    calls.judged(call, answer);

/** What the trace has after these steps, in short. */
function traceOf(...steps: readonly Step[]): readonly unknown[] {
  const calls = openTraceCalls();
  const events = steps.flatMap((step) => {
    if (typeof step === "object") return calls.see(step);
    step(calls);
    return [];
  });
  return [...events, ...calls.finish(), ...calls.finish()].map(inShort);
}

function inShort(event: AgentEvent): unknown {
  if (event.type === "tool_call") return ["call", event.tool_use_id, event.input];
  if (event.type === "tool_result") return ["result", event.tool_use_id, event.output];
  return "text" in event ? event.text : "message" in event ? event.message : event.type;
}

const warning = "tool denied: not here (Bash)";

test("what nobody has judged goes through as it is", () => {
  expect(traceOf(shell("1", "ls"), result("1"), result("9"), say("done"))).toEqual([
    ["call", "1", { command: "ls" }],
    ["result", "1", "ok"],
    ["result", "9", "ok"],
    "done",
  ]);
});

test.each([
  ["before", [judge(bash("ls")), shell("1", "ls")]],
  ["after", [shell("1", "ls"), judge(bash("ls"))]],
  ["with its id, before", [judge(bash("ls", "1")), shell("1", "ls")]],
  ["with its id, after", [shell("1", "ls"), judge(bash("ls", "1"))]],
])("a call judged %s the agent reports it is there once", (_, steps) => {
  expect(traceOf(...steps, result("1"), say("done"))).toEqual([
    ["call", "1", { command: "ls" }],
    ["result", "1", "ok"],
    "done",
  ]);
});

test("a denied call that the agent leaves out is added where it happened, with its input and reason", () => {
  const steps = [judge(bash("rm x"), NO), judge(bash("ls")), shell("2", "ls"), result("2"), say("done")];
  expect(traceOf(...steps)).toEqual([
    ["call", "judged-1", { command: "rm x" }],
    warning,
    ["result", "judged-1", DENIED],
    ["call", "2", { command: "ls" }],
    ["result", "2", "ok"],
    "done",
  ]);
});

test("an allowed call that the agent leaves out is added when the model goes on, or at the end", () => {
  const call = ["call", "judged-1", { command: "ls" }];
  expect(traceOf(judge(bash("ls")), say("done"))).toEqual([call, "done"]);
  expect(traceOf(say("first"), judge(bash("ls")))).toEqual(["first", call]);
});

test.each([
  ["says nothing about", []],
  ["calls failed", [result("1", "hook error", true)]],
  ["calls denied", [result("1", { denied: true, reason: "PreToolUse hook" }, true)]],
])("a denied call whose result the agent %s has one result with the same id and our reason", (_, results) => {
  expect(traceOf(shell("1", "rm x"), judge(bash("rm x"), NO), ...results, say("sorry"))).toEqual([
    ["call", "1", { command: "rm x" }],
    warning,
    ["result", "1", DENIED],
    "sorry",
  ]);
});

test("a call that is reported after it was added is recognised, and its result gets the same id", () => {
  const denied = [judge(bash("rm x"), NO), say("hm"), shell("7", "rm x"), result("7", "failed", true)];
  expect(traceOf(...denied)).toEqual([
    ["call", "judged-1", { command: "rm x" }],
    warning,
    ["result", "judged-1", DENIED],
    "hm",
  ]);
  expect(traceOf(judge(bash("ls")), say("hm"), shell("7", "ls"), result("7"))).toEqual([
    ["call", "judged-1", { command: "ls" }],
    "hm",
    ["result", "judged-1", "ok"],
  ]);
});

test("a denied call that ran all the same keeps its result", () => {
  expect(traceOf(shell("1", "rm x"), judge(bash("rm x"), NO), result("1", "gone"))).toEqual([
    ["call", "1", { command: "rm x" }],
    ["result", "1", "gone"],
  ]);
});

test("the same command twice, denied and then allowed, is two calls, whichever the agent reports", () => {
  const steps = [judge(bash("ls"), NO), judge(bash("ls")), shell("2", "ls"), result("2")];
  expect(traceOf(...steps)).toEqual([
    ["call", "judged-1", { command: "ls" }],
    warning,
    ["result", "judged-1", DENIED],
    ["call", "2", { command: "ls" }],
    ["result", "2", "ok"],
  ]);
});

test("a call with an id is never taken for another one with the same words", () => {
  expect(traceOf(shell("1", "ls"), judge(bash("ls", "2")), shell("2", "ls"))).toEqual([
    ["call", "1", { command: "ls" }],
    ["call", "2", { command: "ls" }],
  ]);
});

test("calls at the same time keep their own results", () => {
  const steps = [shell("1", "rm x"), shell("2", "ls"), judge(bash("ls")), judge(bash("rm x"), NO)];
  expect(traceOf(...steps, result("2"), result("1", "hook error", true))).toEqual([
    ["call", "1", { command: "rm x" }],
    ["call", "2", { command: "ls" }],
    ["result", "2", "ok"],
    warning,
    ["result", "1", DENIED],
  ]);
});

test("a rewritten command is shown as the model wrote it", () => {
  expect(traceOf(judge(bash("npm test")), shell("1", "/private/sandbox 'npm test'"), result("1"))).toEqual([
    ["call", "1", { command: "npm test" }],
    ["result", "1", "ok"],
  ]);
});

test("a patch that the agent reports by its paths is the patch that was judged, before or after", () => {
  const patch = judge({ tool: "apply_patch", input: { patch: "*** Add File: a.txt" } });
  const change = { tool_name: "apply_patch", tool_use_id: "1", input: { changes: [{ path: "a.txt" }] } };
  const reported = newEvent({ type: "tool_call", ...change });
  for (const steps of [
    [patch, reported],
    [reported, patch],
  ])
    expect(traceOf(...steps, say("done"))).toEqual([["call", "1", { changes: [{ path: "a.txt" }] }], "done"]);
});

test("a wrapped command that was reported before it was judged is there once", () => {
  expect(traceOf(shell("1", "bash -lc 'npm test'"), judge(bash("npm test")), result("1"), say("done"))).toEqual([
    ["call", "1", { command: "bash -lc 'npm test'" }],
    ["result", "1", "ok"],
    "done",
  ]);
});

test("a host that reports a denial itself is not repeated", () => {
  const told = newEvent({ type: "warning", message: warning });
  expect(traceOf(judge(bash("rm x", "1"), NO), told, result("1", DENIED, true))).toEqual([
    warning,
    ["call", "1", { command: "rm x" }],
    ["result", "1", DENIED],
  ]);
});

test("calls without ids are told apart by their order", () => {
  const steps = [shell(null, "rm x"), judge({ ...bash("rm x"), tool: "shell" }, NO), result(null, "failed", true)];
  expect(traceOf(...steps, result(null, "other"))).toEqual([
    ["call", null, { command: "rm x" }],
    "tool denied: not here (shell)",
    ["result", null, DENIED],
    ["result", null, "other"],
  ]);
});
