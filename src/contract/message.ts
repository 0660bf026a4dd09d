import * as z from "zod";

/** Data a provider wants back unchanged (signatures, item ids), keyed by provider name. */
export const WireExtras = z.record(z.string(), z.record(z.string(), z.json()));

export type WireExtras = z.infer<typeof WireExtras>;

export const Image = z.object({ mediaType: z.string(), base64: z.string() });

export type Image = z.infer<typeof Image>;

/**
 * Who added a user message to the history: a person, a gate that refused a stop, a hook, a sub-agent that has ended, or
 * the engine itself.
 */
const MessageSource = z.enum(["person", "gate", "hook", "agent", "jit-instruction", "state", "summary"]);

/** Something that must survive every shortening of a history, word for word. */
export const Obligation = z.object({ kind: z.enum(["constraint", "decision", "check"]), text: z.string() });

export type Obligation = z.infer<typeof Obligation>;

export const UserMessage = z.object({
  role: z.literal("user"),
  text: z.string(),
  images: z.array(Image).optional(),
  source: MessageSource,
  /** What the text says is still in force, as data for the next shortening. */
  obligations: z.array(Obligation).optional(),
});

export type UserMessage = z.infer<typeof UserMessage>;

/** A call in an answer. `malformed` is the raw text of arguments that were not a JSON object; `input` is then empty. */
export const CallPart = z.object({
  type: z.literal("call"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  malformed: z.string().optional(),
  extras: WireExtras.optional(),
});

export type CallPart = z.infer<typeof CallPart>;

export const AnswerPart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), extras: WireExtras.optional() }),
  z.object({ type: z.literal("thinking"), text: z.string(), extras: WireExtras.optional() }),
  CallPart,
]);

export type AnswerPart = z.infer<typeof AnswerPart>;

/** Why an answer ended. `cut` means it was interrupted; such an answer contains no calls. */
export const AnswerStop = z.enum(["end", "calls", "length", "refusal", "cut"]);

export type AnswerStop = z.infer<typeof AnswerStop>;

export const AssistantMessage = z.object({
  role: z.literal("assistant"),
  parts: z.array(AnswerPart),
  stop: AnswerStop,
});

export type AssistantMessage = z.infer<typeof AssistantMessage>;

export const ToolResult = z.object({
  callId: z.string(),
  name: z.string(),
  text: z.string(),
  failed: z.boolean(),
  images: z.array(Image).optional(),
  /** The run ended with this call, so that the model is not asked about it. */
  ends: z.object({ summary: z.string() }).optional(),
});

export type ToolResult = z.infer<typeof ToolResult>;

/** One result for each call of the preceding answer, in call order. */
export const ToolMessage = z.object({ role: z.literal("tool"), results: z.array(ToolResult) });

export type ToolMessage = z.infer<typeof ToolMessage>;

/**
 * A history is valid when it starts with a user message, every answer with calls is followed by its tool message, and
 * no call id appears twice.
 */
export const Message = z.discriminatedUnion("role", [UserMessage, AssistantMessage, ToolMessage]);

export type Message = z.infer<typeof Message>;

/** Tokens of one request, as counted by the provider. `input` includes cached tokens. */
export const TokenUsage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});

export type TokenUsage = z.infer<typeof TokenUsage>;

export const NO_USAGE: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export const addUsage = (one: TokenUsage, other: TokenUsage): TokenUsage => ({
  input: one.input + other.input,
  output: one.output + other.output,
  cacheRead: one.cacheRead + other.cacheRead,
  cacheWrite: one.cacheWrite + other.cacheWrite,
});

/** The text of an answer, without its thinking. */
export function answerText(message: AssistantMessage): string {
  return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** What a provider accepts. A field that is missing is unknown. */
export interface ImageLimits {
  /** Bytes of one image, as it is sent (base64). */
  readonly bytes?: number;
  /** Pixels of the longer side. */
  readonly pixels?: number;
  /** The longer side when a request contains more images than `above`. */
  readonly many?: { readonly above: number; readonly pixels: number };
  /** Images in one request. 0: it takes none. */
  readonly count?: number;
  /** Bytes of a whole request. */
  readonly request?: number;
}
