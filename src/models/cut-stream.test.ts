import { expect, test } from "vitest";
import type { AssistantMessage } from "../contract/message.ts";
import { chooseModel } from "./choose-model.ts";
import { ModelError } from "./model.ts";
import { openModel } from "./open-model.ts";
import { startScriptedModel } from "./scripted/server.ts";

const PROVIDERS = ["anthropic", "openai", "openai-chat", "compatible", "google"];
const bash = {
  name: "bash",
  description: "Run.",
  schema: { type: "object", properties: { command: { type: "string" } } },
};
const request = { system: "", history: [{ role: "user", text: "go", source: "person" } as const], tools: [bash] };

const choiceOf = (provider: string, baseUrl: string) =>
  chooseModel({ name: `${provider}/m`, baseUrl, environment: {} });

/** The bytes that the scripted model streams to this provider for an answer with two calls. */
async function wholeStream(provider: string): Promise<Buffer> {
  const calls = [
    { name: "bash", input: { command: "rm -rf build" } },
    { name: "bash", input: { command: "ls" } },
  ];
  await using server = await startScriptedModel({ script: { turns: [{ text: "Cleaning.", calls }] } });
  let bytes = Buffer.alloc(0);
  const send: typeof fetch = async (...given) => {
    const response = await fetch(...given);
    bytes = Buffer.from(await response.clone().arrayBuffer());
    return response;
  };
  const model = openModel(choiceOf(provider, `${server.url}/v1`), { ...LIMITS, send });
  await Array.fromAsync(model.ask(request, AbortSignal.timeout(20_000)));
  return bytes;
}

const LIMITS = { idleMs: 20_000, mostBytes: 1e6 };

/** The result of a stream of these bytes that then ends or breaks. */
async function answer(provider: string, bytes: Buffer, broken: boolean): Promise<AssistantMessage | string> {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (controller.desiredSize !== null && bytes.length > 0) controller.enqueue(bytes);
      if (broken) controller.error(new TypeError("terminated"));
      else controller.close();
    },
  });
  const send = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  const model = openModel(choiceOf(provider, "http://127.0.0.1:9/v1"), { ...LIMITS, send });
  try {
    const last = (await Array.fromAsync(model.ask(request, AbortSignal.timeout(20_000)))).at(-1);
    return last?.type === "answer" ? last.message : "no answer";
  } catch (error) {
    if (error instanceof ModelError) return error.kind;
    throw error;
  }
}

test.each(PROVIDERS)(
  "over %s, a stream that is cut at any byte gives the whole answer or may be tried again, never half a call",
  async (provider) => {
    const whole = await wholeStream(provider);
    const expected = await answer(provider, whole, false);
    expect(expected).toMatchObject({ stop: "calls" });

    const outcomes = new Set<string>();
    for (let length = 0; length < whole.length; length++) {
      // Alternates both endings: a proxy that closes cleanly, and a reset.
      const got = await answer(provider, whole.subarray(0, length), length % 2 === 1);
      outcomes.add(typeof got === "string" ? got : "answer");
      if (typeof got !== "string") expect(got).toEqual(expected);
    }
    expect([...outcomes].toSorted()).toEqual(outcomes.has("answer") ? ["answer", "transient"] : ["transient"]);
  },
  120_000,
);

test.each(PROVIDERS.filter((provider) => provider !== "google"))(
  "over %s, arguments that are no JSON come back as text beside a whole answer",
  async (provider) => {
    const broken = (await wholeStream(provider)).toString().replaceAll(String.raw`\"ls\"}`, String.raw`\"ls\"`);
    const got = await answer(provider, Buffer.from(broken), false);
    if (typeof got === "string") throw new Error(got);
    expect(got.parts.flatMap((part) => (part.type === "call" ? [[part.input, part.malformed]] : []))).toEqual([
      [{ command: "rm -rf build" }, undefined],
      [{}, '{"command":"ls"'],
    ]);
  },
);

test.each(PROVIDERS)("over %s, a stream of noise may be tried again and gives no answer", async (provider) => {
  const noise = Buffer.from('data: {"what":1}\n\ndata: not json\n\ndata: [1,2]\n\n');
  expect(await answer(provider, noise, false)).toBe("transient");
});
