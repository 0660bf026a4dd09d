import type { LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { type AnswerPart, type AnswerStop, type CallPart, type TokenUsage, WireExtras } from "../contract/message.ts";
import { ModelError, type ModelEvent } from "./model.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { jsonDepth, parseJson } from "../lib/json/parse-json.ts";

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/**
 * Assembles the parts of one stream. If the provider did not say that it is finished, the stream was cut off: its
 * calls may be incomplete, so all of it is discarded.
 */
export async function* readAnswer(stream: AsyncIterable<LanguageModelV4StreamPart>): AsyncGenerator<ModelEvent> {
  const parts: AnswerPart[] = [];
  // Ids are reused once their block has ended: Chat Completions calls every text "0".
  const open = new Map<string, Block>();
  const block = (id: string, type: Block["type"]) => {
    const found = open.get(id) ?? { type, text: "" };
    if (!open.has(id)) parts.push(found);
    open.set(id, found);
    return found;
  };
  let finish: Finish | undefined;

  for await (const part of stream) {
    switch (part.type) {
      case "text-start":
      case "text-delta":
      case "reasoning-start":
      case "reasoning-delta": {
        const type = part.type.startsWith("text") ? "text" : "thinking";
        const current = block(part.id, type);
        keepExtras(current, part.providerMetadata);
        if (!("delta" in part) || part.delta === "") break;
        current.text += part.delta;
        yield { type: `${type}-delta`, text: part.delta };
        break;
      }
      case "text-end":
      case "reasoning-end":
        keepExtras(open.get(part.id), part.providerMetadata);
        open.delete(part.id);
        break;
      case "tool-call":
        if (part.providerExecuted !== true) parts.push(callPart(part));
        break;
      case "error":
        throw part.error;
      case "finish":
        finish = part;
        break;
      default:
        break;
    }
  }
  yield wholeAnswer(finish, parts.filter(isWorthKeeping));
}

type Block = Exclude<AnswerPart, CallPart>;

function keepExtras(block: Block | undefined, added: SharedV4ProviderMetadata | undefined): void {
  const extras = mergeExtras(block?.extras, added);
  if (block !== undefined && extras !== undefined) block.extras = extras;
}

/** Redacted thinking has no text, only what the provider wants back. */
const isWorthKeeping = (part: AnswerPart) => part.type === "call" || part.text !== "" || part.extras !== undefined;

function wholeAnswer(finish: Finish | undefined, parts: AnswerPart[]): ModelEvent {
  const reason = finish?.finishReason;
  const unfinished = reason === undefined || reason.unified === "interrupted";
  // Packages report "other" without a provider reason for a stream that just stopped.
  if (finish === undefined || unfinished || (reason.unified === "other" && reason.raw === undefined)) {
    throw new ModelError("the stream ended before the answer was complete", { kind: "transient" });
  }
  if (reason.unified === "error") {
    throw new ModelError(`the model failed in the middle of its answer (${reason.raw ?? "no reason given"})`, {
      kind: "transient",
    });
  }
  const stop = stopOf(finish, parts);
  // What a filter cut off may be an incomplete call, or one that must not run.
  const usableParts = stop === "refusal" ? parts.filter((part) => part.type !== "call") : parts;
  return { type: "answer", message: { role: "assistant", parts: usableParts, stop }, usage: usageOf(finish.usage) };
}

function stopOf({ finishReason }: Finish, parts: readonly AnswerPart[]): AnswerStop {
  if (finishReason.unified === "length") return "length";
  if (finishReason.unified === "content-filter") return "refusal";
  return parts.some((part) => part.type === "call") ? "calls" : "end";
}

/** Undefined when the provider did not count: unknown is not 0. */
function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): TokenUsage | undefined {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return undefined;
  return {
    input: inputTokens.total,
    output: outputTokens.total,
    cacheRead: inputTokens.cacheRead ?? 0,
    cacheWrite: inputTokens.cacheWrite ?? 0,
  };
}

interface StreamedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments as text, as the model wrote them. */
  readonly input: string;
  readonly providerMetadata?: SharedV4ProviderMetadata;
}

const DEEPEST = 200;
const MAX_KEPT = 2000;

/**
 * A call from its streamed form. Arguments that are not a JSON object are kept as text, to be shown to the model again.
 */
function callPart({ toolCallId: id, toolName: name, input, providerMetadata }: StreamedCall): CallPart {
  const parsed = parseArguments(input);
  const extras = mergeExtras(undefined, providerMetadata);
  return {
    type: "call",
    id,
    name,
    input: parsed ?? {},
    ...(parsed === undefined ? { malformed: input.slice(0, MAX_KEPT) } : {}),
    ...(extras === undefined ? {} : { extras }),
  };
}

/** No text at all means no arguments: several servers send that for a tool without any. */
function parseArguments(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  if (jsonDepth(text) > DEEPEST) return undefined;
  try {
    const value: unknown = parseJson(text);
    return isRecord(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** What a provider wants back, as plain JSON. Later fields win, because a signature arrives at the end of its block. */
function mergeExtras(
  before: WireExtras | undefined,
  added: SharedV4ProviderMetadata | undefined,
): WireExtras | undefined {
  if (added === undefined) return before;
  const merged: WireExtras = { ...before };
  const plain = WireExtras.parse(parseJson(JSON.stringify(added)));
  for (const [provider, fields] of Object.entries(plain)) merged[provider] = { ...merged[provider], ...fields };
  return merged;
}
