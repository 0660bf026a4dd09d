import type { JSONObject, LanguageModelV4 } from "@ai-sdk/provider";
import type { Effort } from "../contract/effort.ts";
import { modelRow } from "./catalog/catalog.ts";
import { costOf } from "./catalog/price.ts";
import type { ModelChoice } from "./choose-model.ts";
import { thinkingOptions } from "./effort.ts";
import { explainFailure } from "./explain-failure.ts";
import { knownLimits } from "./known-limits.ts";
import type { Model, ModelRequest, ToolOffer } from "./model.ts";
import type { WireName } from "./providers.ts";
import { readAnswer } from "./read-answer.ts";
import { type PromptForm, toPrompt } from "./to-prompt.ts";
import { type WireSettings, wireFetch } from "./wire-fetch.ts";

const IDLE_MS = 300_000;
const MOST_BYTES = 64 * 1024 * 1024;

interface ModelSettings extends Partial<WireSettings> {
  /** How much it should think, asked with every request. Undefined: the provider decides. */
  readonly effort?: (() => Effort | undefined) | undefined;
}

/** The chosen model, ready to be asked. Its provider package is loaded with the first request. */
export function openModel(choice: ModelChoice, { effort, ...settings }: ModelSettings = {}): Model {
  const price = modelRow(choice.provider, choice.id)?.price;
  const limits = knownLimits(choice, settings.send);
  let loading: Promise<LanguageModelV4> | undefined;
  return {
    name: `${choice.provider}/${choice.id}`,
    baseUrl: choice.baseUrl,
    get effort() {
      return effort?.();
    },
    cost: (usage) => (price === undefined ? undefined : costOf(price, usage)),
    get limits() {
      return limits.now();
    },
    learnLimits: limits.learn,
    async *ask(request, signal) {
      // Closes the connection of an answer that is not read to its end, because a waiting stream cannot be cancelled.
      const cancel = new AbortController();
      const abortSignal = AbortSignal.any([signal, cancel.signal]);
      try {
        signal.throwIfAborted();
        void limits.learnMore();
        const model = await (loading ??= load(
          choice,
          wireFetch({ idleMs: IDLE_MS, mostBytes: MOST_BYTES, ...settings }),
        ));
        const { stream } = await model.doStream({ ...options(request, choice, effort?.()), abortSignal });
        yield* readAnswer(chunks(stream, cancel));
      } catch (error) {
        signal.throwIfAborted();
        throw explainFailure(error, choice);
      }
    },
  };
}

async function load({ wire, id, baseUrl: baseURL, key }: ModelChoice, fetch: typeof globalThis.fetch) {
  const access = { baseURL, fetch, apiKey: key ?? "none" };
  switch (wire) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic(access)(id);
    case "responses":
      return (await import("@ai-sdk/openai")).createOpenAI(access).responses(id);
    case "chat":
      return (await import("@ai-sdk/openai")).createOpenAI(access).chat(id);
    case "google":
      return (await import("@ai-sdk/google")).createGoogleGenerativeAI(access)(id);
    case "compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const authorised = key === undefined ? {} : { apiKey: key };
      return createOpenAICompatible({ name: "compatible", baseURL, fetch, includeUsage: true, ...authorised })(id);
    }
  }
}

const CACHE_MARK: Record<string, JSONObject> = { anthropic: { cacheControl: { type: "ephemeral" } } };

const FORMS: Readonly<Record<WireName, PromptForm>> = {
  anthropic: { imagesInResults: true, cacheMark: CACHE_MARK },
  responses: { imagesInResults: true },
  chat: { imagesInResults: false },
  compatible: { imagesInResults: false },
  google: { imagesInResults: false },
};

/** Anthropic's wire requires a limit; the package lowers it to what a known model supports. */
const MAX_OUTPUT = 32_000;

function options(request: ModelRequest, choice: ModelChoice, effort: Effort | undefined) {
  const { tools, cacheKey } = request;
  const { wire } = choice;
  // Thinking counts as output.
  const output = effort === "high" || effort === "max" ? 2 * MAX_OUTPUT : MAX_OUTPUT;
  return {
    prompt: toPrompt(request, FORMS[wire]),
    ...(tools.length === 0 ? {} : { tools: tools.map(functionTool) }),
    ...(wire === "anthropic" ? { maxOutputTokens: output } : {}),
    providerOptions: joined(providerOptions(wire, cacheKey), thinkingOptions(choice, effort)),
  };
}

type ProviderOptions = Readonly<Record<string, JSONObject>>;

const joined = (one: ProviderOptions, other: ProviderOptions): Record<string, JSONObject> =>
  Object.fromEntries(Object.keys({ ...one, ...other }).map((name) => [name, { ...one[name], ...other[name] }]));

const functionTool = ({ name, description, schema: inputSchema }: ToolOffer) => ({
  type: "function" as const,
  name,
  description,
  inputSchema,
});

/** OpenAI stores nothing: the history is ours and is sent in full. */
function providerOptions(wire: WireName, cacheKey: string | undefined): Record<string, JSONObject> {
  if (wire !== "responses" && wire !== "chat") return {};
  return { openai: { store: false, ...(cacheKey === undefined ? {} : { promptCacheKey: cacheKey }) } };
}

/** The chunks of a stream. `cancel` is aborted when the consumer stops early or the stream breaks. */
async function* chunks<Chunk>(stream: ReadableStream<Chunk>, cancel: AbortController): AsyncGenerator<Chunk> {
  const reader = stream.getReader();
  let whole = false;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
    whole = true;
  } finally {
    if (!whole) cancel.abort();
    await reader.cancel().catch(() => {
      // A broken stream cannot be cancelled; its error has been thrown above.
    });
  }
}
