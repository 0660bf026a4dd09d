import { expect, test } from "vitest";
import type { AssistantMessage, Message } from "../contract/message.ts";
import { chooseModel } from "./choose-model.ts";
import { type Model, ModelError, type ModelEvent, type ModelRequest } from "./model.ts";
import { openModel } from "./open-model.ts";
import { startScriptedModel } from "./scripted/server.ts";
import type { ScriptInput } from "./scripted/script.ts";

/** The wires, by the provider that uses each, and what its base URL adds to the server's. */
const WIRES = { anthropic: "", openai: "/v1", "openai-chat": "/v1", compatible: "/v1", google: "" };

const bash = {
  name: "bash",
  description: "Run a command.",
  schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
};
const question: Message = { role: "user", text: "What is on the list?", source: "person" };
const request = (history: readonly Message[]): ModelRequest => ({ system: "Be brief.", history, tools: [bash] });

const modelAt = (provider: string, url: string, limits = { idleMs: 20_000, mostBytes: 1_000_000 }): Model =>
  openModel(
    chooseModel({
      name: `${provider}/m`,
      baseUrl: `${url}${new Map(Object.entries(WIRES)).get(provider) ?? ""}`,
      environment: {},
    }),
    limits,
  );

async function ask(model: Model, history: readonly Message[] = [question], signal = AbortSignal.timeout(20_000)) {
  return await Array.fromAsync(model.ask(request(history), signal));
}

const answerIn = (events: readonly ModelEvent[]): AssistantMessage => {
  const last = events.at(-1);
  if (last?.type !== "answer") throw new Error("no answer");
  return last.message;
};

/** The providers' own metadata differs; the content must not. */
const plain = (message: AssistantMessage) => ({
  ...message,
  parts: message.parts.map((part) => ({ ...part, extras: undefined })),
});

const failureOf = async (attempt: Promise<unknown>) => {
  const error = await attempt.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof ModelError)) throw new Error(`no ModelError but ${String(error)}`);
  return error;
};

const SCRIPT: ScriptInput = {
  turns: [
    { thinking: "I should look.", text: "Let me look.", calls: [{ name: "bash", input: { command: "cat list" } }] },
    { text: "Milk and bread.", usage: { input: 100, output: 5 } },
  ],
};

test.each(Object.keys(WIRES))(
  "over %s, thinking, words and a call arrive in order, and results go back",
  async (name) => {
    await using server = await startScriptedModel({ script: SCRIPT });
    const model = modelAt(name, server.url);

    const first = await ask(model);
    const called = answerIn(first);
    expect(plain(called)).toEqual({
      role: "assistant",
      stop: "calls",
      parts: [
        // OpenAI's own Chat Completions have no thinking.
        ...(name === "openai-chat" ? [] : [{ type: "thinking", text: "I should look." }]),
        { type: "text", text: "Let me look." },
        { type: "call", id: expect.any(String), name: "bash", input: { command: "cat list" } },
      ],
    });
    const spoken = first.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
    expect(spoken.join("")).toBe("Let me look.");

    const callId = called.parts.flatMap((part) => (part.type === "call" ? [part.id] : []))[0] ?? "";
    const result = { callId, name: "bash", text: "milk bread", failed: false };
    const second = await ask(model, [question, called, { role: "tool", results: [result] }]);
    expect(plain(answerIn(second)).parts).toEqual([{ type: "text", text: "Milk and bread." }]);
    expect(second.at(-1)).toMatchObject({ usage: { input: 100, output: 5, cacheRead: 0, cacheWrite: 0 } });
    expect(server.requests.map(({ turn, answered }) => [turn, answered])).toEqual([
      [0, "turn"],
      [1, "turn"],
    ]);
  },
);

const KINDS = [
  [400, "refused"],
  [401, "refused"],
  [404, "refused"],
  [413, "too-large"],
  [429, "transient"],
  [499, "transient"],
  [500, "transient"],
  [503, "transient"],
  [529, "transient"],
] as const;

test.each(Object.keys(WIRES))("over %s, each status is sorted into what can be done about it", async (name) => {
  const failures = KINDS.map(([status]) => ({ status, headers: { "retry-after": "7" } }));
  await using server = await startScriptedModel({ script: { turns: [{ text: "x", failures }] } });
  const model = modelAt(name, server.url);
  const seen = [];
  for (const _ of KINDS) {
    const { status, kind, retryAfterMs } = await failureOf(ask(model));
    seen.push([status, kind, retryAfterMs]);
  }
  expect(seen).toEqual(KINDS.map(([status, kind]) => [status, kind, 7000]));
});

test.each(Object.keys(WIRES))("over %s, a 400 about the context is too large, a marked one transient", async (name) => {
  const error = (message: string) => ({ status: 400, body: { type: "error", error: { type: "e", message } } });
  const failures = [error("prompt is too long: 9 tokens > 5 maximum"), error("a transient error, try again later")];
  await using server = await startScriptedModel({ script: { turns: [{ text: "x", failures }] } });
  const model = modelAt(name, server.url);
  expect((await failureOf(ask(model))).kind).toBe("too-large");
  expect((await failureOf(ask(model))).kind).toBe("transient");
});

test.each(Object.keys(WIRES))("over %s, a web page is named and not shown", async (name) => {
  const page = "<!doctype html><html><body>Please log in</body></html>";
  const html = { "content-type": "text/html" };
  const failures = [
    { status: 200, body: page, headers: html },
    { status: 502, body: page, headers: html },
    { status: 302, body: "", headers: { location: "http://127.0.0.1:9/" } },
  ];
  await using server = await startScriptedModel({ script: { turns: [{ text: "x", failures }] } });
  const model = modelAt(name, server.url);
  const seen = [];
  for (const _ of failures) {
    const { kind, message } = await failureOf(ask(model));
    seen.push(`${kind}: ${message}`);
  }
  expect(seen).toEqual([
    "refused: HTTP 200: got a web page instead of an answer; is this the address of the API?",
    "transient: HTTP 502: got a web page instead of an answer",
    "refused: HTTP 302: redirects are not followed; use the target address",
  ]);
});

test.each(Object.keys(WIRES))("over %s, a server that goes silent is given up on", async (name) => {
  await using server = await startScriptedModel({
    script: { turns: [{ text: "x".repeat(300), chunk_delay_ms: 60_000, failures: [{ hang: true }] }] },
  });
  const model = modelAt(name, server.url, { idleMs: 300, mostBytes: 1_000_000 });
  const before = await failureOf(ask(model));
  const between = await failureOf(ask(model));
  expect([before, between].map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
    "transient: the server sent nothing for 0.3 seconds",
    "transient: the server sent nothing for 0.3 seconds",
  ]);
});

test.each(Object.keys(WIRES))("over %s, an answer that never ends is cut off", async (name) => {
  await using server = await startScriptedModel({ script: { turns: [{ text: "word ".repeat(50_000) }] } });
  const { kind, message } = await failureOf(ask(modelAt(name, server.url, { idleMs: 20_000, mostBytes: 10_000 })));
  expect(`${kind}: ${message}`).toBe("refused: the answer is larger than 10000 bytes");
});

test.each(Object.keys(WIRES))("over %s, an abort ends the request at once", async (name) => {
  await using server = await startScriptedModel({ script: { turns: [{ text: "x", failures: [{ hang: true }] }] } });
  const abort = new AbortController();
  const asking = ask(modelAt(name, server.url), [question], abort.signal);
  await expect.poll(() => server.requests.length).toBe(1);
  abort.abort(new Error("enough"));
  await expect(asking).rejects.toThrow("enough");
});

test("a refused connection may work later", async () => {
  const server = await startScriptedModel({ script: { turns: [{ text: "x" }] } });
  await server.close();
  const { kind } = await failureOf(ask(modelAt("anthropic", server.url)));
  expect(kind).toBe("transient");
});
