import { expect, test } from "vitest";
import * as z from "zod";
import type { Message } from "../contract/message.ts";
import { chooseModel } from "./choose-model.ts";
import { openModel } from "./open-model.ts";

const image = { mediaType: "image/png", base64: "iVBORw0KGgo=" };
const HISTORY: readonly Message[] = [
  { role: "user", text: "look", source: "person", images: [image] },
  { role: "assistant", stop: "calls", parts: [{ type: "call", id: "c1", name: "look", input: { path: "a.png" } }] },
  { role: "tool", results: [{ callId: "c1", name: "look", text: "a picture", failed: false, images: [image] }] },
  { role: "assistant", stop: "end", parts: [{ type: "text", text: "A cat." }] },
  { role: "user", text: "sure?", source: "person" },
];

/** The body and headers of the request that a provider would get. */
async function requestTo(provider: string) {
  let seen: { body: unknown; headers: Headers } | undefined;
  const send: typeof fetch = async (_, init) => {
    seen = { body: JSON.parse(z.string().parse(init?.body)), headers: new Headers(init?.headers) };
    return new Response("", { status: 418 });
  };
  const environment = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k", GEMINI_API_KEY: "k", SIGNALBOX_API_KEY: "k" };
  const choice = chooseModel({ name: `${provider}/m`, baseUrl: "https://h.example/v1", environment });
  const model = openModel(choice, { idleMs: 1000, mostBytes: 1000, send });
  const tools = [{ name: "look", description: "Look.", schema: { type: "object", properties: {} } }];
  const request = { system: "Be brief.", history: HISTORY, tools, cacheKey: "session-1" };
  await Array.fromAsync(model.ask(request, AbortSignal.timeout(10_000))).catch(() => undefined);
  if (seen === undefined) throw new Error("nothing was sent");
  return { ...seen, text: JSON.stringify(seen.body) };
}

test("the ends of what should be cached are marked for Anthropic: system, and the last two turns", async () => {
  const { body } = await requestTo("anthropic");
  const marks = z
    .looseObject({
      system: z.array(z.looseObject({ cache_control: z.unknown().optional() })),
      messages: z.array(
        z.looseObject({ role: z.string(), content: z.array(z.looseObject({ cache_control: z.unknown().optional() })) }),
      ),
    })
    .parse(body);
  expect(marks.system.map((block) => block.cache_control)).toEqual([{ type: "ephemeral" }]);
  expect(marks.messages.map(({ role, content }) => [role, content.at(-1)?.cache_control])).toEqual([
    ["user", undefined],
    ["assistant", undefined],
    ["user", { type: "ephemeral" }],
    ["assistant", undefined],
    ["user", { type: "ephemeral" }],
  ]);
});

test.each(["openai", "openai-chat"])(
  "over %s nothing is stored, and the cache is found by the session",
  async (name) => {
    expect((await requestTo(name)).body).toMatchObject({ store: false, prompt_cache_key: "session-1" });
  },
);

test.each(["anthropic", "openai", "openai-chat", "compatible", "google"])(
  "over %s images travel as images, never as the text of a result",
  async (name) => {
    const { text } = await requestTo(name);
    expect(text.split(image.base64).length - 1).toBe(2);
    expect(text).not.toContain(String.raw`\"iVBORw0KGgo=`);
  },
);

test.each([
  ["anthropic", "x-api-key", "k"],
  ["openai", "authorization", "Bearer k"],
  ["openai-chat", "authorization", "Bearer k"],
  ["compatible", "authorization", "Bearer k"],
  ["google", "x-goog-api-key", "k"],
])("over %s the key is in %s and not in the body", async (name, header, value) => {
  const { headers, text } = await requestTo(name);
  expect(headers.get(header)).toBe(value);
  expect(text).not.toContain('"k"');
});
