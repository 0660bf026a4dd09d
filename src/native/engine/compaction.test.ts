import { expect, test } from "vitest";
import { historyProblems } from "../../../test/support/history-problems.ts";
import {
  asks,
  call,
  calls,
  compactNow,
  playTurns,
  says,
  sessionParts,
  tool,
} from "../../../test/support/scripted-session.ts";
import { smallWindow } from "../../../test/support/small-window.ts";
import type { LoopEvent } from "../../contract/engine-event.ts";
import { openHistory } from "../../contract/history.ts";
import type { Message } from "../../contract/message.ts";
import { type Model, ModelError } from "../../models/model.ts";
import { openBudget } from "./processor.ts";

const line = "const value = compute(offset, length);\n";
const read = tool("read", ({ lines = 60 }) => ({ text: line.repeat(Number(lines)), failed: false }));
const reads = (turns: number, lines?: number) => (_: unknown, n: number) =>
  n < turns ? calls(call(`c${n}`, "read", { page: n, ...(lines === undefined ? {} : { lines }) })) : says("done");

/** A run on a small window: the events by name, and the history that is left. */
async function run(model: Model, start: readonly Message[] = [asks("Read everything. Never change it.")]) {
  const parts = sessionParts(model, { tools: [read] });
  const { events, result } = await playTurns(start, { ...parts, processors: [parts.compaction] });
  const names = events.map(({ type }) => type);
  return { events, names, result, of: (type: LoopEvent["type"]) => events.filter((event) => event.type === type) };
}

test("a summary is written while the agent works on, and replaces what it summarises when it is there", async () => {
  const written = Promise.withResolvers<string>();
  const { model, asked } = smallWindow({
    window: 6_000,
    answer: (request, n) => {
      // Two more turns have passed since the summary was begun.
      if (n === 8) written.resolve("Reading\nFive files were read.");
      return reads(10)(request, n);
    },
    summary: () => written.promise,
  });
  const { names, result, of } = await run(model);
  const [started, ended] = [names.indexOf("compaction-start"), names.indexOf("compaction-end")];
  const between = names.slice(started, ended).filter((name) => name === "tool-end");
  expect(between.length).toBeGreaterThanOrEqual(1);
  expect(of("compaction-start")[0]).toMatchObject({ trigger: "background", limit: 6_000 });
  expect(of("compaction-end")[0]).toMatchObject({ title: "Reading" });
  expect(asked.at(-1)?.history[0]).toMatchObject({ role: "user", source: "summary" });
  expect(JSON.stringify(asked.at(-1)?.history)).toContain("Never change it.");
  expect(historyProblems(result.history)).toEqual([]);
});

test("with no room left, the request waits for the summary", async () => {
  const { model, asked } = smallWindow({
    window: 4_000,
    answer: reads(6, 150),
    summary: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return "Reading\nShort.";
    },
  });
  const { of } = await run(model);
  expect(of("compaction-start")).toContainEqual(expect.objectContaining({ trigger: "blocking" }));
  const sizes = asked.map(({ history }) => JSON.stringify(history).length);
  expect(Math.max(...sizes)).toBeLessThan(4_000 * 5);
});

test.each([
  ["is empty", () => "  \n", "the summary was empty"],
  ["is longer than the conversation", () => line.repeat(3_000), "the summary is no shorter than the conversation"],
  [
    "cannot be had",
    () => {
      throw new ModelError("no such model", { kind: "refused" });
    },
    "no such model",
  ],
])(
  "a summary that %s leaves the history as it was, and is not asked for at once again",
  async (_, summary, because) => {
    const { model, summaries } = smallWindow({ window: 12_000, answer: reads(22), summary });
    const { of, result } = await run(model);
    expect(of("compaction-failed")[0]).toMatchObject({ because });
    expect(result.history[0]).toEqual(asks("Read everything. Never change it."));
    expect(result.history).toHaveLength(46);
    // The history grew for several turns after the first failure, but not after each of them.
    expect(summaries.length).toBeLessThanOrEqual(4);
  },
);

test("two summaries in a row that free almost nothing are the last, which is said once", async () => {
  // The prompt alone is nearly all there is, and it is kept word for word.
  const prompt = asks(`Keep all of this: ${line.repeat(110)}`);
  const { model, summaries } = smallWindow({ window: 4_600, answer: reads(40, 12), summary: () => line.repeat(200) });
  const { of } = await run(model, [prompt]);
  expect(of("compaction-stopped")).toHaveLength(1);
  expect(summaries.length).toBeLessThan(12);
  let useless = 0;
  let worst = 0;
  for (const event of of("compaction-end")) {
    if (event.type !== "compaction-end") continue;
    useless = event.tokensBefore - event.tokensAfter < event.tokensBefore * 0.1 ? useless + 1 : 0;
    worst = Math.max(worst, useless);
  }
  expect(worst).toBeLessThanOrEqual(2);
});

test("a conversation of fewer than four messages is never summarised", async () => {
  const { model, summaries } = smallWindow({ window: 500, answer: () => says("done"), summary: () => "x" });
  await run(model, [asks(line.repeat(200))]);
  expect(summaries).toEqual([]);
});

test("a provider that refuses the length forces a summary, and from then on its limit is known", async () => {
  const {
    model: roomy,
    asked,
    summaries,
  } = smallWindow({ window: 1_000_000, answer: reads(30), summary: () => "Reading\nShort." });
  const strict: Model = {
    ...roomy,
    async *ask(request, signal) {
      if (JSON.stringify(request.history).length > 30_000) throw new ModelError("too long", { kind: "too-large" });
      yield* roomy.ask(request, signal);
    },
  };
  const { of, result } = await run(strict);
  expect(result.reason).toBe("answered");
  expect(of("compaction-start").map((event) => event.type === "compaction-start" && event.trigger)).toEqual([
    "forced",
    ...Array.from({ length: summaries.length - 1 }, () => "background"),
  ]);
  expect(of("request-failed")).toHaveLength(1);
  expect(asked.length).toBe(31);
});

test("a message larger than the window is cut in its middle, and a refused summary of it ends the run clearly", async () => {
  const huge = asks(`START ${line.repeat(2_000)} END`);
  const start = [huge, says("a"), asks("b"), says("c"), asks("go on")];
  const { model } = smallWindow({ window: 4_000, answer: () => says("done"), summary: () => "Title\nShort." });
  const { result } = await run(model, start);
  const [kept] = result.history.filter((message) => message.role === "user" && message.source === "person");
  expect(kept?.role === "user" && kept.text).toMatch(/^START [^]*characters left out[^]* END$/);
  expect(JSON.stringify(result.history).length).toBeLessThan(16_000);
});

test("a conversation of images alone is shortened, and says that images were left out", async () => {
  const image = { mediaType: "image/png", base64: "AAAA" };
  const picture = (n: number): Message => ({
    role: "user",
    text: `picture ${n}`,
    source: "person",
    images: [image, image],
  });
  const start = Array.from({ length: 8 }, (_, n) => [picture(n), says("seen")]).flat();
  const { model } = smallWindow({ window: 20_000, answer: () => says("done"), summary: () => "Title\nShort." });
  const { result } = await run(model, [...start, asks("and now?")]);
  expect(JSON.stringify(result.history)).toContain("images were left out");
  expect(historyProblems(result.history)).toEqual([]);
});

test("calls and their results are never separated, wherever the cut falls", async () => {
  for (let window = 3_000; window < 9_000; window += 250) {
    const answer = (_: unknown, n: number) =>
      n < 25
        ? calls(
            ...Array.from({ length: (n % 4) + 1 }, (__, k) =>
              call(`c${n}-${k}`, "read", { lines: 8 + ((n * 7) % 23) }),
            ),
          )
        : says("done");
    const { model } = smallWindow({ window, answer, summary: (_, n) => `Title ${n}\nShort.` });
    const { result, of } = await run(model);
    expect(of("compaction-end").length).toBeGreaterThan(0);
    expect({ window, problems: historyProblems(result.history) }).toEqual({ window, problems: [] });
  }
});

test("what a summary costs counts for the session", async () => {
  const { model } = smallWindow({ window: 6_000, answer: reads(12), summary: () => "Title\nShort." });
  const { of } = await run(model);
  const byAgent = of("usage").map((event) => (event.type === "usage" ? event.agent : undefined));
  expect(byAgent.filter((agent) => agent === "compaction").length).toBe(of("compaction-end").length);
});

test("skills that were read are named after their texts are gone", async () => {
  const { model, asked } = smallWindow({
    window: 6_000,
    answer: (request, n) => (n === 0 ? calls(call("s", "skill", { name: "release-notes" })) : reads(12)(request, n)),
    summary: () => "Title\nShort.",
  });
  await run(model);
  expect(JSON.stringify(asked.at(-1)?.history)).toContain("to be read again when they are needed: release-notes");
});

test("what two useless attempts of a person have shown does not keep a refused request from being shortened", async () => {
  const { model: roomy, summaries } = smallWindow({
    window: 100_000,
    answer: reads(9),
    summary: () => "Title\nShort.",
  });
  const strict: Model = {
    ...roomy,
    async *ask(request, signal) {
      if (JSON.stringify(request.history).length > 12_000) throw new ModelError("too long", { kind: "too-large" });
      yield* roomy.ask(request, signal);
    },
  };
  const parts = sessionParts(strict, { tools: [read] });
  const history = openHistory([asks("hi"), says("ho")]);
  for (let n = 0; n < 3; n++) for await (const _ of compactNow(history, parts));
  expect(history.messages).toHaveLength(2);
  const before = summaries.length;
  const { result } = await playTurns([...history.messages, asks("Read.")], {
    ...parts,
    processors: [parts.compaction],
  });
  expect([result.reason, summaries.length > before]).toEqual(["answered", true]);
});

test("a first prompt that is too long for the provider is cut in its middle, and the task begins", async () => {
  const { model: roomy } = smallWindow({
    window: 1_000_000,
    answer: () => says("done"),
    summary: () => "Title\nShort.",
  });
  const strict: Model = {
    ...roomy,
    async *ask(request, signal) {
      const because =
        "This model's maximum context length is 8000 tokens. However, your messages resulted in 20012 tokens.";
      if (JSON.stringify(request.history).length > 32_000) throw new ModelError(because, { kind: "too-large" });
      yield* roomy.ask(request, signal);
    },
  };
  const { result, of } = await run(strict, [asks(`START ${line.repeat(2_000)} END`)]);
  expect([result.reason, of("compaction-end").length]).toEqual(["answered", 1]);
});

test("a short prompt keeps every word, however small the conversation is that a person has shortened", async () => {
  const long = `${line.repeat(100)} never delete the table users ${line.repeat(100)}`;
  const { model } = smallWindow({ window: 100_000, answer: () => says("done"), summary: () => "Title\nShort." });
  const parts = sessionParts(model, { tools: [read] });
  const reading = Array.from({ length: 6 }, (_, n): readonly Message[] => [
    calls(call(`r${n}`, "read")),
    { role: "tool", results: [{ callId: `r${n}`, name: "read", text: line.repeat(60), failed: false }] },
  ]);
  const history = openHistory([asks(long), ...reading.flat(), says("done")]);
  for (let n = 0; n < 3; n++) for await (const _ of compactNow(history, parts));
  expect(history.messages[0]).toMatchObject({ source: "summary" });
  expect(history.messages).toContainEqual(asks(long));
});

test("a person who interrupts a summary gets the conversation back as it was, and its cost is unknown", async () => {
  const abort = new AbortController();
  const { model } = smallWindow({
    window: 100_000,
    answer: () => says("done"),
    summary: async () => {
      setImmediate(() => abort.abort());
      await new Promise(() => {});
      return "";
    },
  });
  const stoppable: Model = {
    ...model,
    async *ask(request, signal) {
      const answer = model.ask(request, signal).next();
      const stopped = new Promise<never>((_, reject) =>
        signal.addEventListener("abort", () => reject(new Error("stopped"))),
      );
      const next = await Promise.race([answer, stopped]);
      if (next.done !== true) yield next.value;
    },
  };
  const parts = { ...sessionParts(stoppable, { tools: [read] }), signal: abort.signal };
  const history = openHistory([asks("a"), says("b"), asks("c"), says("d")]);
  const events: LoopEvent[] = [];
  for await (const event of compactNow(history, parts)) events.push(event);
  expect(events.map(({ type }) => type)).toEqual(["compaction-start", "usage", "compaction-failed"]);
  expect(history.messages).toHaveLength(4);
});

test("a summary that a person asks for is refused when the money is spent", async () => {
  const { model, summaries } = smallWindow({
    window: 100_000,
    answer: () => says("done"),
    summary: () => "Title\nShort.",
  });
  const budget = openBudget({ cost: 1 }, { now: () => 0, spent: { turns: 1, cost: 2 } });
  const parts = { ...sessionParts(model), budget };
  const events: LoopEvent[] = [];
  for await (const event of compactNow(openHistory([asks("a"), says("b"), asks("c"), says("d")]), parts))
    events.push(event);
  expect([summaries.length, events]).toEqual([
    0,
    [{ type: "compaction-failed", because: "a limit of the session is reached" }],
  ]);
});
