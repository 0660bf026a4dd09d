import type {
  JSONObject,
  LanguageModelV4,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { Effort } from "../contract/engine-settings.ts";
import type { AssistantMessage, Image, Message, ToolMessage, ToolResult } from "../contract/message.ts";
import { costOf, modelRow } from "./catalog/catalog.ts";
import type { ModelChoice, WireName } from "./choose-model.ts";
import { thinkingOptions } from "./effort.ts";
import { explainFailure } from "./explain-failure.ts";
import { knownLimits } from "./known-limits.ts";
import type { Model, ModelRequest, ToolOffer } from "./model.ts";
import { readAnswer } from "./read-answer.ts";
import { wireFetch, type WireSettings } from "./send-http.ts";

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

/** What differs between wires when a history is sent. */
interface PromptForm {
  /** False where a tool result can only be text; its images then follow as a user message. */
  readonly imagesInResults: boolean;
  /** Marks the ends of what should be cached, where the wire requires marks. */
  readonly cacheMark?: Readonly<Record<string, JSONObject>> | undefined;
}

/** A history in the form that provider packages take. Empty messages are omitted, because no wire accepts them. */
function toPrompt(
  { system, history, tail = [] }: Pick<ModelRequest, "system" | "history" | "tail">,
  form: PromptForm,
): LanguageModelV4Prompt {
  const messages = history.flatMap((message) => toMessages(message, form));
  const prompt: LanguageModelV4Prompt = isBlank(system) ? messages : [{ role: "system", content: system }, ...messages];
  const marked = form.cacheMark === undefined ? prompt : withCacheMarks(prompt, form.cacheMark);
  // A message of its own: in a result, anybody who writes what the result shows could have written it.
  return [...marked, ...userMessage(tail.filter((text) => !isBlank(text)).join("\n\n"), [])];
}

function toMessages(message: Message, form: PromptForm): LanguageModelV4Message[] {
  switch (message.role) {
    case "user":
      return userMessage(message.text, message.images ?? []);
    case "assistant":
      return assistantMessage(message);
    case "tool":
      return toolMessages(message, form);
  }
}

function userMessage(text: string, images: readonly Image[]): LanguageModelV4Message[] {
  const content = [...(isBlank(text) ? [] : [{ type: "text" as const, text }]), ...images.map(filePart)];
  return content.length === 0 ? [] : [{ role: "user", content }];
}

/** Thinking is sent back only with text or calls; on its own, no wire accepts it as an answer. */
function assistantMessage({ parts }: AssistantMessage): LanguageModelV4Message[] {
  const nonBlankParts = parts.filter((part) => part.type !== "text" || !isBlank(part.text));
  if (!nonBlankParts.some((part) => part.type !== "thinking")) return [];
  const content = nonBlankParts.map((part) => {
    const extras = part.extras === undefined ? {} : { providerOptions: part.extras };
    switch (part.type) {
      case "text":
        return { type: "text" as const, text: part.text, ...extras };
      case "thinking":
        return { type: "reasoning" as const, text: part.text, ...extras };
      case "call":
        return { type: "tool-call" as const, toolCallId: part.id, toolName: part.name, input: part.input, ...extras };
    }
  });
  return [{ role: "assistant", content }];
}

function toolMessages({ results }: ToolMessage, form: PromptForm): LanguageModelV4Message[] {
  if (results.length === 0) return [];
  const content = results.map((result) => resultPart(result, form));
  const left = form.imagesInResults ? [] : results.flatMap((result) => result.images ?? []);
  const images = left.length === 0 ? [] : userMessage("The images of the results above:", left);
  return [{ role: "tool", content }, ...images];
}

function resultPart(result: ToolResult, form: PromptForm): LanguageModelV4ToolResultPart {
  const { callId: toolCallId, name: toolName, failed, images = [] } = result;
  const text = isBlank(result.text) ? "(no output)" : result.text;
  const part = { type: "tool-result" as const, toolCallId, toolName };
  if (form.imagesInResults && images.length > 0) {
    return { ...part, output: { type: "content", value: [{ type: "text", text }, ...images.map(filePart)] } };
  }
  return { ...part, output: { type: failed ? "error-text" : "text", value: text } };
}

const filePart = ({ mediaType, base64 }: Image): LanguageModelV4FilePart => ({
  type: "file",
  mediaType,
  data: { type: "data", data: base64 },
});

/**
 * The system prompt, and the last two user or tool messages: the newest is written to the cache, the one before is read
 * from it.
 */
function withCacheMarks(prompt: LanguageModelV4Prompt, mark: Record<string, JSONObject>): LanguageModelV4Prompt {
  const turns = prompt.flatMap(({ role }, index) => (role === "user" || role === "tool" ? [index] : []));
  const marked = new Set(turns.slice(-2));
  return prompt.map((message, index) =>
    message.role === "system" || marked.has(index) ? { ...message, providerOptions: mark } : message,
  );
}

const isBlank = (text: string) => text.trim() === "";
