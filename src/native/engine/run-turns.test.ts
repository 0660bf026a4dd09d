import { expect, test } from "vitest";
import {
  asks,
  call,
  calls,
  fails,
  playTurns,
  rehearsed,
  says,
  sessionParts,
  tool,
} from "../../../test/support/scripted-session.ts";
import { EngineSettings } from "../../contract/engine-settings.ts";
import { openHistory } from "../../contract/history.ts";
import { ModelError } from "../../models/model.ts";
import { guardProcessor, type Processor } from "./processor.ts";
import { runTurns } from "./run-turns.ts";

const echo = tool("echo", ({ text }) => ({ text: `echo ${String(text)}`, failed: false }));
const result = (callId: string, text: string, failed = false, name = "echo") => ({ callId, name, text, failed });

test("a tool result goes back to the model, and its answer ends the run", async () => {
  const first = calls(call("c1", "echo", { text: "hi" }));
  const { model, requests } = rehearsed(first, says("It said hi."));

  const { events, result: outcome } = await playTurns([asks("go")], sessionParts(model, { tools: [echo] }));

  const results = { role: "tool", results: [result("c1", "echo hi")] };
  expect(events).toEqual([
    { type: "turn-start", turn: 1 },
    { type: "usage", usage: undefined, cost: undefined },
    { type: "message", message: first },
    { type: "tool-start", call: { id: "c1", name: "echo", input: { text: "hi" } } },
    { type: "tool-end", result: result("c1", "echo hi"), ran: true, deeds: [] },
    { type: "turn-end", turn: 1 },
    { type: "turn-start", turn: 2 },
    { type: "text-delta", text: "It said hi." },
    { type: "usage", usage: undefined, cost: undefined },
    { type: "message", message: says("It said hi.") },
    { type: "response", text: "It said hi." },
    { type: "turn-end", turn: 2 },
    { type: "run-end", reason: "answered", because: "" },
  ]);
  expect(outcome.history).toEqual([asks("go"), first, results, says("It said hi.")]);
  expect(requests[1]?.history).toEqual([asks("go"), first, results]);
});

test("what the model gets wrong comes back to it as failed results", async () => {
  const answer = calls(
    call("c1", "nothing"),
    { type: "call", id: "c2", name: "echo", input: {}, malformed: '{"text": ' },
    call("c2", "echo", { text: "same id" }),
    call("a strange id!", "echo", { text: "strange" }),
  );
  const { model } = rehearsed(answer);
  const { result: outcome } = await playTurns([asks("go")], sessionParts(model, { tools: [echo] }));
  expect(outcome.history[2]).toEqual({
    role: "tool",
    results: [
      result("c1", "unknown tool nothing; available tools: echo", true, "nothing"),
      result("c2", 'the arguments are not a complete JSON object: {"text": ', true),
      result("c2_2", "echo same id"),
      result("call_4", "echo strange"),
    ],
  });
});

test("calls that only read run beside each other, others alone and in order; results keep the order of the calls", async () => {
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const read = tool(
    "read",
    async ({ n }) => {
      log.push(`read ${String(n)} begins`);
      if (n === 1) await gate.promise;
      if (n === 2) gate.resolve();
      log.push(`read ${String(n)} ends`);
      return { text: `r${String(n)}`, failed: false };
    },
    true,
  );
  const write = tool("write", ({ n }) => {
    log.push(`write ${String(n)}`);
    return { text: `w${String(n)}`, failed: false };
  });
  const answer = calls(
    call("a", "read", { n: 1 }),
    call("b", "read", { n: 2 }),
    call("c", "write", { n: 3 }),
    call("d", "write", { n: 4 }),
  );
  const { model } = rehearsed(answer);
  const { result: outcome } = await playTurns([asks("go")], sessionParts(model, { tools: [read, write] }));
  expect(log).toEqual(["read 1 begins", "read 2 begins", "read 2 ends", "read 1 ends", "write 3", "write 4"]);
  expect(outcome.history[2]).toMatchObject({
    results: [{ text: "r1" }, { text: "r2" }, { text: "w3" }, { text: "w4" }],
  });
});

test("of two hundred calls, as many are taken as every wire can carry, a few at a time", async () => {
  let running = 0;
  let most = 0;
  const read = tool(
    "read",
    async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return { text: "ok", failed: false };
    },
    true,
  );
  const { model } = rehearsed(calls(...Array.from({ length: 200 }, (_, n) => call(`c${n}`, "read", { n }))));
  const { result: outcome } = await playTurns([asks("go")], sessionParts(model, { tools: [read] }));
  const [, answer, results] = outcome.history;
  expect(answer).toMatchObject({ role: "assistant", parts: { length: 128 } });
  expect(results).toMatchObject({ role: "tool", results: { length: 128 } });
  expect(results?.role === "tool" && results.results.at(-1)?.text).toBe(
    "ok\n\n[72 more calls in this answer were ignored: at most 128 at a time]",
  );
  expect(most).toBe(8);
});

test("a denial is a failed result, a person's rejection ends the run, and nothing behind it runs", async () => {
  const ran: unknown[] = [];
  const write = tool("write", ({ n }) => {
    ran.push(n);
    return { text: "ok", failed: false };
  });
  const guard = guardProcessor(async ({ input }) => {
    const { n } = { n: 0, ...(typeof input === "object" ? input : {}) };
    if (n === 1) return { verdict: "deny", because: "rule 7" };
    return n === 3 ? { verdict: "reject", because: "not like this" } : { verdict: "allow" };
  });
  const answer = calls(...[1, 2, 3, 4].map((n) => call(`c${n}`, "write", { n })));
  const { model, requests } = rehearsed(answer);
  const parts = sessionParts(model, { tools: [write], processors: [guard] });
  const { result: outcome } = await playTurns([asks("go")], parts);
  expect(ran).toEqual([2]);
  expect(outcome).toMatchObject({ reason: "rejected", because: "not like this" });
  expect(outcome.history[2]).toEqual({
    role: "tool",
    results: [
      result("c1", "not allowed: rule 7", true, "write"),
      result("c2", "ok", false, "write"),
      result("c3", "the user rejected this call: not like this", true, "write"),
      result("c4", "not run: not like this", true, "write"),
    ],
  });
  expect(requests.length).toBe(1);
});

test("a check that fails denies, and a broken tool is a failed result", async () => {
  const broken = tool("broken", () => {
    throw new Error("no such file");
  });
  const { model } = rehearsed(calls(call("c1", "broken")), calls(call("c2", "broken")));
  let asked = 0;
  const guard = guardProcessor(async () => {
    if (++asked === 1) return { verdict: "allow" };
    throw new Error("the policy is gone");
  });
  const parts = sessionParts(model, { tools: [broken], processors: [guard] });
  const { result: outcome } = await playTurns([asks("go")], parts);
  expect(outcome.history.flatMap((message) => (message.role === "tool" ? message.results : []))).toEqual([
    result("c1", "no such file", true, "broken"),
    result("c2", "not allowed: the guard failed, so nothing was run: the policy is gone", true, "broken"),
  ]);
});

test("transient failures are tried again with growing pauses, visibly, and then the run fails", async () => {
  const { model, requests } = rehearsed(...Array.from({ length: 9 }, () => fails("transient", "half an ans")));
  const parts = sessionParts(model);
  const { events, result: outcome } = await playTurns([asks("go")], parts);
  expect(requests.length).toBe(6);
  expect(parts.waited).toEqual([375, 750, 1500, 3000, 6000]);
  const failed = events.filter((event) => event.type === "request-failed");
  expect(failed.map(({ tries, retryInMs }) => [tries, retryInMs])).toEqual([
    [1, 375],
    [2, 750],
    [3, 1500],
    [4, 3000],
    [5, 6000],
    [6, null],
  ]);
  expect(outcome).toEqual({ history: [asks("go")], reason: "failed", because: "a transient failure" });
});

test("a provider that asks to wait for too long is not waited for, and says so", async () => {
  const busy = new ModelError("overloaded", { kind: "transient", retryAfterMs: 3_600_000 });
  const { model, requests } = rehearsed({ fails: busy, after: "" });
  const parts = sessionParts(model);
  const { events, result: outcome } = await playTurns([asks("go")], parts);
  expect([requests.length, parts.waited]).toEqual([1, []]);
  const because = "overloaded; the provider asks to wait 3600 seconds";
  expect(events).toContainEqual(
    expect.objectContaining({ type: "request-failed", because, tries: 1, retryInMs: null }),
  );
  expect(outcome).toMatchObject({ reason: "failed" });
});

test("a refused request is not tried again", async () => {
  const { model, requests } = rehearsed(fails("refused"));
  const { result: outcome } = await playTurns([asks("go")], sessionParts(model));
  expect([requests.length, outcome.reason]).toEqual([1, "failed"]);
});

test("an interrupted tool leaves a result, and a tool that does not stop is left behind", async () => {
  const abort = new AbortController();
  const never = tool("never", () => new Promise(() => undefined));
  const { model } = rehearsed(calls(call("c1", "never"), call("c2", "never")));
  const parts = sessionParts(model, { tools: [never], signal: abort.signal });
  const history = openHistory([asks("go")]);
  const run = runTurns(history, parts);
  const events = [];
  for (let next = await run.next(); ; next = await run.next()) {
    if (next.done === true) {
      expect(next.value).toMatchObject({ reason: "aborted" });
      expect(history.messages[2]).toEqual({
        role: "tool",
        results: [
          result("c1", "interrupted, but it did not stop: it may still be running", true, "never"),
          result("c2", "interrupted before it started", true, "never"),
        ],
      });
      break;
    }
    events.push(next.value.type);
    if (next.value.type === "tool-start") setImmediate(() => abort.abort());
  }
  expect(parts.waited).toEqual([5000]);
});

test("an interrupted answer keeps its words and none of its calls", async () => {
  const abort = new AbortController();
  const { model } = rehearsed(calls({ type: "text", text: "I will now" }, call("c1", "echo")));
  const history = openHistory([asks("go")]);
  const run = runTurns(history, sessionParts(model, { tools: [echo], signal: abort.signal }));
  for (let next = await run.next(); ; next = await run.next()) {
    if (next.done === true) {
      const cut = { role: "assistant", parts: [{ type: "text", text: "I will now" }], stop: "cut" };
      expect(history.messages).toEqual([asks("go"), cut]);
      break;
    }
    if (next.value.type === "text-delta") abort.abort();
  }
});

test("the call at which a too long answer was cut does not run", async () => {
  const answer = { ...calls(call("c1", "echo", { text: "whole" }), call("c2", "echo")), stop: "length" as const };
  const { model } = rehearsed(answer);
  const { result: outcome } = await playTurns([asks("go")], sessionParts(model, { tools: [echo] }));
  expect(outcome.history[2]).toMatchObject({ results: [{ text: "echo whole" }, { failed: true }] });
});

test("a run ends at its limit of turns", async () => {
  const { model } = rehearsed(...Array.from({ length: 9 }, (_, n) => calls(call(`c${n}`, "echo"))));
  const settings = EngineSettings.parse({ turns: 3 });
  const { result: outcome } = await playTurns([asks("go")], sessionParts(model, { tools: [echo], settings }));
  expect(outcome).toMatchObject({ reason: "limit", because: "3 turns used up", history: { length: 7 } });
});

test("a request that is too large loses its images once, and then fails clearly", async () => {
  const image = { mediaType: "image/png", base64: "AAAA" };
  const look = tool("look", () => ({ text: "a picture", failed: false, images: [image] }));
  const lines = [calls(call("c1", "look")), fails("too-large"), fails("too-large")];
  const { model, requests } = rehearsed(...lines);
  const { result: outcome } = await playTurns([asks("go")], sessionParts(model, { tools: [look] }));
  const note = "[image removed: the request was too large]";
  expect(requests.map(({ history }) => history.at(-1))).toEqual([
    asks("go"),
    { role: "tool", results: [{ ...result("c1", "a picture", false, "look"), images: [image] }] },
    { role: "tool", results: [result("c1", `a picture\n${note}`, false, "look")] },
  ]);
  expect(outcome).toMatchObject({
    reason: "failed",
    because:
      "the conversation is too large for the model, and cannot be shortened further (a too-large failure); use a model with a larger context, or start a new session",
  });
});

test("an image that the provider refuses is taken out, and the request is made again", async () => {
  const image = { mediaType: "image/png", base64: "AAAA" };
  const { model, requests } = rehearsed(fails("bad-image"), says("seen nothing"), says("never"));
  const history = [{ ...asks("look"), images: [image] }];
  const { events, result: outcome } = await playTurns(history, sessionParts(model));
  const without = asks("look\n[image removed: the provider refused it]");
  expect(requests.map(({ history: sent }) => sent)).toEqual([history, [without]]);
  // A session that is resumed has it without the image as well.
  expect(events).toContainEqual(expect.objectContaining({ type: "history-replaced", pieces: [{ add: without }] }));
  expect(outcome.reason).toBe("answered");
});

test("a refused image that is not in the history fails at once", async () => {
  const { model, requests } = rehearsed(fails("bad-image"), says("never"));
  const { result: outcome } = await playTurns([asks("go")], sessionParts(model));
  expect([requests.length, outcome.reason]).toEqual([1, "failed"]);
});

test("a processor may shorten a history that is too large", async () => {
  const { model, requests } = rehearsed(fails("too-large"), says("fits"));
  const shorten: Processor = {
    name: "compaction",
    async *onRequestError() {
      yield { type: "history-replaced", pieces: [{ add: asks("short") }], because: "shorter" };
    },
  };
  const parts = sessionParts(model, { processors: [shorten] });
  const { result: outcome, events } = await playTurns([asks("very long")], parts);
  // The cause comes before what is done about it.
  expect(events.filter(({ type }) => type === "request-failed" || type === "history-replaced")).toEqual([
    { type: "request-failed", because: "a too-large failure", status: undefined, tries: 1, retryInMs: 0 },
    { type: "history-replaced", pieces: [{ add: asks("short") }], because: "shorter" },
  ]);
  expect(requests.map(({ history }) => history)).toEqual([[asks("very long")], [asks("short")]]);
  expect(outcome.history).toEqual([asks("short"), says("fits")]);
});
