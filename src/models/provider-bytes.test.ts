import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chooseModel } from "./choose-model.ts";
import { ModelError } from "./model.ts";
import { openModel } from "./open-model.ts";

const FOLDER = join(import.meta.dirname, "../../test/fixtures/wires");

/** Streams in the form that the providers document, including fields they really send but we do not use. */
async function answerFrom(provider: string, file: string) {
  const bytes = readFileSync(join(FOLDER, file));
  const send = async () => new Response(bytes, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
  const choice = chooseModel({ name: `${provider}/m`, baseUrl: "http://127.0.0.1:9/v1", environment: {} });
  const model = openModel(choice, { idleMs: 10_000, mostBytes: 1e6, send });
  const request = {
    system: "",
    history: [{ role: "user", text: "Which are red?", source: "person" } as const],
    tools: [],
  };
  const last = (await Array.fromAsync(model.ask(request, AbortSignal.timeout(10_000)))).at(-1);
  if (last?.type !== "answer") throw new Error("no answer");
  return last;
}

const text = { type: "text", text: "I ask both boxes." };
const call = (id: unknown, box: string) => ({ type: "call", id, name: "signal", input: { box } });

test("a stream of Anthropic: signed thinking, words, two calls, the cache counted", async () => {
  const signature = "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds";
  const { message, usage } = await answerFrom("anthropic", "anthropic-calls.sse");
  expect(message).toMatchObject({
    stop: "calls",
    parts: [
      { type: "thinking", text: "Which signals are red?", extras: { anthropic: { signature } } },
      text,
      call("toolu_01T1x1fJ34qAmk2tNTrN7Up6", "north"),
      call("toolu_01A9", "süd"),
    ],
  });
  expect(usage).toEqual({ input: 892, output: 89, cacheRead: 300, cacheWrite: 120 });
});

test.each([
  ["openai-chat", "chat-calls.sse"],
  ["compatible", "chat-calls.sse"],
])("a stream of Chat Completions, read as %s", async (provider, file) => {
  const { message, usage } = await answerFrom(provider, file);
  expect(message).toMatchObject({ stop: "calls", parts: [text, call("call_N1", "north"), call("call_S2", "süd")] });
  expect(usage).toEqual({ input: 892, output: 89, cacheRead: 300, cacheWrite: 0 });
});

test("a stream of Responses: sealed thinking is kept to be sent back", async () => {
  const { message, usage } = await answerFrom("openai", "responses-calls.sse");
  expect(message).toMatchObject({
    stop: "calls",
    parts: [
      { type: "thinking", text: "", extras: { openai: { reasoningEncryptedContent: "gAAAAABo" } } },
      text,
      call("call_N1", "north"),
      call("call_S2", "süd"),
    ],
  });
  expect(usage).toEqual({ input: 892, output: 89, cacheRead: 300, cacheWrite: 0 });
});

test("a stream of Gemini: a signature on a call is kept, and calls without ids get some", async () => {
  const { message, usage } = await answerFrom("google", "gemini-calls.sse");
  expect(message).toMatchObject({
    stop: "calls",
    parts: [
      { type: "thinking", text: "Which signals are red?" },
      text,
      { ...call(expect.any(String), "north"), extras: { google: { thoughtSignature: "CpACAdHtim9" } } },
      call(expect.any(String), "süd"),
    ],
  });
  expect(usage).toEqual({ input: 892, output: 89, cacheRead: 300, cacheWrite: 0 });
});

test("an error in the middle of a stream may be tried again", async () => {
  const failure = await answerFrom("anthropic", "anthropic-overloaded.sse").catch((error: unknown) => error);
  if (!(failure instanceof ModelError)) throw new Error("no ModelError");
  expect([failure.kind, failure.status, failure.message]).toEqual(["transient", 529, "HTTP 529: Overloaded"]);
});

test("arguments that were cut at the limit of the answer are kept as text", async () => {
  const { message } = await answerFrom("anthropic", "anthropic-cut.sse");
  expect(message).toMatchObject({ stop: "length", parts: [{ type: "call", input: {}, malformed: '{"box": "nor' }] });
});
