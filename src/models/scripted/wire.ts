import * as z from "zod";
import type { Stop } from "./script.ts";

export type ScriptedWireName = "anthropic" | "chat-completions" | "responses" | "generate-content";

/** One provider's protocol: how to parse a request and write an answer. It has no state. */
export interface Wire {
  readonly name: ScriptedWireName;
  /** The end of a request's path; anything may come before it. */
  readonly path: RegExp;
  /** Throws a BadRequest when the body is not valid on this wire. */
  read(request: WireRequest): IncomingRequest;
  write(answer: Answer, request: IncomingRequest): WireAnswer;
  /** An HTTP error body in this provider's format. */
  error(status: number, message: string): unknown;
}

export interface WireRequest {
  readonly url: URL;
  readonly body: unknown;
}

/** One answer in both its forms. */
export interface WireAnswer {
  readonly body: unknown;
  readonly events: readonly WireEvent[];
}

export interface WireEvent {
  readonly event?: string;
  /** A string is sent as is, anything else as JSON. */
  readonly data: unknown;
}

/** A request that cannot be played. The server answers it with `status` and the message. */
export class BadRequest extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.name = "BadRequest";
    this.status = status;
  }
}

/** The body parsed by `schema`, or a BadRequest that names each invalid field. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new BadRequest(`invalid request for this wire: ${z.prettifyError(parsed.error)}`);
}

/** The text in a message's content: the string itself, the texts of a list of parts, or its JSON. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  const parts = TextParts.safeParse(content);
  return parts.success ? parts.data.map((part) => part.text ?? "").join("\n") : JSON.stringify(content);
}

const TextParts = z.array(z.looseObject({ text: z.string().optional() }));

/** One request to a model, whatever wire it came over. */
export interface IncomingRequest {
  readonly model: string;
  readonly stream: boolean;
  /** Whether a streamed answer may include an event with only the usage. */
  readonly usageInStream: boolean;
  readonly system: string;
  readonly entries: readonly ConversationEntry[];
  readonly tools: readonly OfferedTool[];
}

/** One piece of the conversation, in order. A call, an image or hidden reasoning is an entry with empty text. */
export interface ConversationEntry {
  readonly from: "user" | "assistant" | "tool";
  readonly text: string;
}

export interface OfferedTool {
  readonly name: string;
  /** The JSON schema of the input; undefined when the tool takes free text. */
  readonly schema: unknown;
  readonly freeText: boolean;
  /** The group in which the Responses wire offers the tool, if any. */
  readonly namespace?: string;
}

/**
 * How many model answers are followed by something. Adjacent assistant entries are one answer;
 * one at the very end is not counted, because it is a prefill, or what an agent kept of a broken stream.
 */
export function turnsPlayed(entries: readonly ConversationEntry[]): number {
  return entries.filter((entry, index) => entry.from !== "assistant" && entries[index - 1]?.from === "assistant")
    .length;
}

/** The user's texts, each as sent. */
export function userTexts(entries: readonly ConversationEntry[]): string[] {
  return entries.filter((entry) => entry.from === "user" && entry.text !== "").map((entry) => entry.text);
}

/** The system prompt and everything before the first answer: the same in every request of a conversation. */
export function opening({ system, entries }: IncomingRequest): string {
  const answer = entries.findIndex((entry) => entry.from === "assistant");
  return [system, ...userTexts(answer === -1 ? entries : entries.slice(0, answer))].join("\n");
}

/** Everything the model is told: the system prompt, the user's texts, tool results; not its own text. */
export function inputText({ system, entries }: IncomingRequest): string {
  return [system, ...entries.filter((entry) => entry.from !== "assistant").map((entry) => entry.text)].join("\n");
}

/** What the model says in one turn, before a wire formats it. */
export interface Answer {
  /** Letters, digits and underscores, new for each answer; a wire adds its own prefix. */
  readonly id: string;
  readonly model: string;
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly AnswerCall[];
  readonly stop: Stop;
  readonly usage: { readonly input: number; readonly output: number };
}

export interface AnswerCall {
  readonly id: string;
  readonly name: string;
  /** Text for a tool that takes free text, otherwise its arguments. */
  readonly input: string | Readonly<Record<string, unknown>>;
}

/** The arguments of a call as an object; free text becomes `{ input }`. */
export function argumentsOf(call: AnswerCall): Readonly<Record<string, unknown>> {
  return typeof call.input === "string" ? { input: call.input } : call.input;
}

/** Splits a text into at most forty pieces, without splitting a character. No pieces for an empty text. */
export function pieces(text: string): string[] {
  const characters = Array.from(text);
  const size = Math.max(SMALLEST_PIECE, Math.ceil(characters.length / MAX_PIECES));
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(""),
  );
}

const SMALLEST_PIECE = 24;

const MAX_PIECES = 40;

/** An error body in the format shared by both OpenAI wires. */
export function openaiError(status: number, message: string): unknown {
  const type = ERROR_TYPES[status] ?? (status < 500 ? "invalid_request_error" : "server_error");
  return { error: { message, type, param: null, code: null } };
}

const ERROR_TYPES: Record<number, string> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
};
