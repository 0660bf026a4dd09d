import type { LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { AnswerPart, AnswerStop, CallPart, Usage } from "../contract/message.ts";
import { callPart } from "./call-part.ts";
import { ModelError } from "./model-error.ts";
import type { ModelEvent } from "./model.ts";
import { mergeExtras } from "./wire-extras.ts";

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/**
 * Puts the parts of one stream together. A stream without the provider's own word that it is finished was cut: its
 * calls may be half of what the model meant, so nothing of it counts.
 */
export async function* readAnswer(stream: AsyncIterable<LanguageModelV4StreamPart>): AsyncGenerator<ModelEvent> {
  const parts: AnswerPart[] = [];
  // Ids come again once their block has ended: Chat Completions calls every text "0".
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
  // "other" without a word of the provider is what packages report for a stream that just stopped.
  if (finish === undefined || unfinished || (reason.unified === "other" && reason.raw === undefined)) {
    throw new ModelError("the stream ended before the answer was complete", { kind: "transient" });
  }
  if (reason.unified === "error") {
    throw new ModelError(`the model failed in the middle of its answer (${reason.raw ?? "no reason given"})`, {
      kind: "transient",
    });
  }
  const stop = stopOf(finish, parts);
  // What a filter cut off may be half a call, or one that must not be.
  const kept = stop === "refusal" ? parts.filter((part) => part.type !== "call") : parts;
  return { type: "answer", message: { role: "assistant", parts: kept, stop }, usage: usageOf(finish.usage) };
}

function stopOf({ finishReason }: Finish, parts: readonly AnswerPart[]): AnswerStop {
  if (finishReason.unified === "length") return "length";
  if (finishReason.unified === "content-filter") return "refusal";
  return parts.some((part) => part.type === "call") ? "calls" : "end";
}

/** Undefined when the provider did not count: an unknown number is not 0. */
function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | undefined {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return undefined;
  return {
    input: inputTokens.total,
    output: outputTokens.total,
    cacheRead: inputTokens.cacheRead ?? 0,
    cacheWrite: inputTokens.cacheWrite ?? 0,
  };
}
