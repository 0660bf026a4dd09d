import * as z from "zod";
import type { Answer } from "../script/answer.ts";
import type { IncomingRequest } from "../script/incoming-request.ts";

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
