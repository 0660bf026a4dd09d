import { STATUS_CODES } from "node:http";
import { APICallError, LoadAPIKeyError } from "@ai-sdk/provider";
import { isRecord } from "../lib/json/json-value.ts";
import { jsonIfValid } from "../lib/json/parse-json.ts";
import { ModelError, type ModelErrorKind } from "./model.ts";

/** Words shorter than any key, which may legitimately appear in a message. */
const LEAST_KEY = 8;

/** The key of a request, and the variable it came from. */
interface KeyUsed {
  readonly key?: string | undefined;
  readonly keyVariable?: string | undefined;
}

/**
 * Whatever a provider package threw, as a ModelError. Bodies are shortened, web pages only mentioned, the key redacted.
 */
export function explainFailure(error: unknown, { key = "", keyVariable }: KeyUsed = {}): ModelError {
  const failure = asModelError(error);
  const { kind, status, retryAfterMs } = failure;
  const message = key.length < LEAST_KEY ? failure.message : failure.message.replaceAll(key, "[the key]");
  const advice = status === 401 && keyVariable !== undefined ? aboutKey(key, keyVariable) : "";
  if (message + advice === failure.message) return failure;
  return new ModelError(message + advice, { kind, status, retryAfterMs });
}

const aboutKey = (key: string, variable: string) =>
  key === "" ? ` (no key was sent; set ${variable})` : ` (the key in ${variable} was refused)`;

function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const inner = innerModelError(error);
  if (inner !== undefined) return inner;
  if (LoadAPIKeyError.isInstance(error)) return new ModelError(error.message, { kind: "refused", cause: error });

  const failure = read(error);
  const { status, text, headers } = failure;
  const kind = kindOf(failure);
  const retryAfterMs = retryAfter(headers);
  const shown = `${status === undefined ? text : `HTTP ${status}: ${text}`}${longWait(retryAfterMs)}`;
  return new ModelError(shown, { kind, status, retryAfterMs, cause: error });
}

const WORTH_SAYING_MS = 60_000;

const longWait = (ms: number | undefined) =>
  ms === undefined || ms < WORTH_SAYING_MS ? "" : ` (the server asks to wait ${Math.ceil(ms / 1000)} s)`;

/** Our own fetch throws ModelErrors, which packages wrap. */
function innerModelError(error: unknown): ModelError | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth++)
    if (cause instanceof ModelError) return cause;
  return undefined;
}

interface Failure {
  readonly status: number | undefined;
  readonly retryable: boolean;
  readonly text: string;
  /** The body, when it says more than `text`. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An error response, an error inside a stream (a plain object), or a broken connection (anything else). */
function read(error: unknown): Failure {
  if (APICallError.isInstance(error)) {
    const { statusCode: status, isRetryable: retryable, responseHeaders: headers, responseBody = "" } = error;
    if (isPage(responseBody)) return { status, retryable, headers, text: "got a web page instead of an answer" };
    if (isSuccess(status)) return { status: undefined, retryable: true, text: CUT };
    const body = responseBody.slice(0, MAX_READ);
    return { status, retryable, headers, text: short(saysNothing(error) ? wordsIn(body) : error.message), body };
  }
  if (isRecord(error)) {
    const { statusCode, isRetryable, message } = error;
    const status = typeof statusCode === "number" ? statusCode : undefined;
    const reason = short(textOf(message));
    const text = NO_SENSE.test(reason) ? "cannot parse the answer: it does not follow the protocol" : reason;
    return { status, retryable: isRetryable === true || status === undefined, text };
  }
  return { status: undefined, retryable: true, text: `the connection failed: ${short(textOf(error))}` };
}

const isSuccess = (status: number | undefined) => status !== undefined && status < 300;

const CUT = "the stream ended before the answer was complete";

/** A package that does not know the form of a provider's errors gives the name of the status. */
const saysNothing = ({ message, statusCode }: APICallError) =>
  message.trim() === "" || message === STATUS_CODES[statusCode ?? 0];

/** What a body says, whatever its form: `error` as a text, `message`, `detail`. */
function wordsIn(body: string): string {
  const document = jsonIfValid(body);
  if (!isRecord(document)) return body;
  const { error, message, detail } = document;
  const words = [isRecord(error) ? error["message"] : error, message, detail].find((each) => typeof each === "string");
  return typeof words === "string" ? words : body;
}

/** How a provider's package reports an event it could not parse. */
const NO_SENSE = /^Expected a normalized \w+ stream error$/;

/** 499, 408 and every 5xx (including 529) may work later; a 400 may if the provider marks it. */
function kindOf({ status, retryable, text, body = "" }: Failure): ModelErrorKind {
  const words = `${text} ${body}`;
  if (status === 413 || isContextLimit(status, words)) return "too-large";
  if (status !== undefined && status < 500 && REFUSED_IMAGES.some(({ words: known }) => known.test(words)))
    return "bad-image";
  if (NO_CREDIT.test(words)) return "refused";
  if (status === undefined) return retryable ? "transient" : "refused";
  if ([408, 409, 425, 429, 499].includes(status) || status >= 500) return "transient";
  return retryable || TRANSIENT_WORDS.test(words) ? "transient" : "refused";
}

const TRANSIENT_WORDS = /\btransient\b|\btemporar(?:y|ily)\b|overloaded|try again later/i;

/** llama.cpp and vLLM have also said it with a 500. A 429 with such words is about tokens per minute. */
const isContextLimit = (status: number | undefined, text: string) =>
  (status === undefined || [400, 422, 500].includes(status)) && CONTEXT_LIMITS.some(({ words }) => words.test(text));

/** Seconds or a date, as in HTTP; `retry-after-ms` where a provider sends it. */
function retryAfter(headers: Readonly<Record<string, string>> | undefined): number | undefined {
  const milliseconds = Number(headers?.["retry-after-ms"] ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const value = headers?.["retry-after"];
  if (value === undefined) return undefined;
  // A header sent twice arrives as one with a comma.
  const seconds = /^\s*(\d+(?:\.\d+)?)\s*(?:,|$)/.exec(value)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const date = /^[A-Za-z]{3},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

const isPage = (body: string) => /^\s*(?:<!doctype|<html|<head|<\?xml)/i.test(body);

const MAX_TEXT = 600;

const MAX_READ = 10_000;

function short(text: string): string {
  const cleaned = text.replace(/\s+/g, " ").trim();
  return cleaned.length > MAX_TEXT ? `${cleaned.slice(0, MAX_TEXT)} …` : cleaned || "no reason given";
}

function textOf(value: unknown): string {
  if (value instanceof Error)
    return value.cause instanceof Error ? `${value.message} (${value.cause.message})` : value.message;
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}

interface ContextLimit {
  /** Whose words they are. Servers that copy them are not listed again. */
  readonly from: string;
  readonly words: RegExp;
  /** A message as it is sent, which the tests use. */
  readonly example: string;
}

/** How providers say that a request is too long for the model. None of them was asked: the messages are as published. */
export const CONTEXT_LIMITS: readonly ContextLimit[] = [
  {
    from: "Anthropic",
    words: /prompt is too long/i,
    example: "prompt is too long: 213462 tokens > 200000 maximum",
  },
  {
    from: "Anthropic, with the answer's part",
    words: /exceed context limit/i,
    example: "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
  },
  {
    from: "OpenAI Chat Completions",
    words: /maximum context length/i,
    example: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens.",
  },
  {
    from: "OpenAI Responses",
    words: /exceeds the context window|context_length_exceeded/i,
    example: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  },
  {
    from: "OpenAI, for a limit on the input alone",
    words: /input tokens exceed the configured limit/i,
    example: "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 280000 tokens.",
  },
  {
    from: "Google",
    words: /input token count.*exceeds/i,
    example: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  },
  {
    from: "xAI",
    words: /maximum prompt length/i,
    example: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  },
  {
    from: "Groq",
    words: /reduce the length of the messages/i,
    example: "Please reduce the length of the messages or completion.",
  },
  {
    from: "Mistral",
    words: /too large for model with \d+ maximum context/i,
    example: "Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
  },
  {
    from: "Kimi",
    words: /exceeded model token limit/i,
    example: "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)",
  },
  {
    from: "MiniMax",
    words: /context window exceeds limit/i,
    example: "invalid params, context window exceeds limit (2013)",
  },
  {
    from: "Z.ai",
    words: /prompt exceeds max length/i,
    example: "Prompt exceeds max length",
  },
  {
    from: "GitHub Copilot",
    words: /prompt token count.*exceeds the limit/i,
    example: "prompt token count of 130012 exceeds the limit of 128000",
  },
  {
    from: "Cohere",
    words: /too many (?:input )?tokens/i,
    example: "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5002.",
  },
  {
    from: "Amazon Bedrock",
    words: /input is too long for requested model/i,
    example: "Input is too long for requested model.",
  },
  {
    from: "Text Generation Inference and Together",
    words: /tokens \+ .?max_new_tokens.? must be <=/i,
    example: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4000 `inputs` tokens",
  },
  {
    from: "llama.cpp",
    words: /exceeds the available context size|exceed_context_size/i,
    example: "the request exceeds the available context size. try increasing the context size or enable context shift",
  },
  {
    from: "Ollama",
    words: /exceeded max context length|input length exceeds the context length/i,
    example: "prompt too long; exceeded max context length by 412 tokens",
  },
  {
    from: "vLLM",
    words: /longer than the maximum model length/i,
    example: "The decoder prompt (length 5120) is longer than the maximum model length of 4096.",
  },
  {
    from: "LM Studio",
    words: /greater than the context length/i,
    example:
      "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5120>= n_ctx: 4096).",
  },
  {
    from: "a proxy that limits bytes",
    words: /request_too_large|context[ _](?:length|window|limit)/i,
    example: "request_too_large: Request exceeds the maximum size",
  },
];

/** How providers refuse an image that they cannot read, or that is too large for them. */
export const REFUSED_IMAGES: readonly ContextLimit[] = [
  { from: "Anthropic", words: /could not process image/i, example: "Could not process image" },
  {
    from: "Anthropic, by its size in pixels",
    words: /image dimensions exceed/i,
    example: "messages.0.content.1.image.source.base64: image dimensions exceed max allowed size: 8000 pixels",
  },
  {
    from: "Anthropic, by its bytes",
    words: /image exceeds \d/i,
    example: "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
  },
  {
    from: "OpenAI",
    words: /image_parse_error|invalid_image|unsupported image|not represent a valid image/i,
    example: "The image data you provided does not represent a valid image. Please check your input and try again.",
  },
  {
    from: "Google",
    words: /unable to process input image/i,
    example: "Unable to process input image. Please retry or report in the developer forum.",
  },
  {
    from: "a model that sees no images",
    words: /does(?:n't| not) support image|image input is not supported|no endpoints found that support image/i,
    example: "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
  },
];

/** A 429 that waiting does not mend: the account has nothing left. */
const NO_CREDIT = /insufficient_quota|insufficient balance|credit balance is too low|billing_hard_limit/i;
