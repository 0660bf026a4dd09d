import type { AnswerPart, Image, Message } from "../contract/message.ts";
import type { ToolOffer } from "./model.ts";

/**
 * The tokens of a text, without a vocabulary: words, groups of digits, signs and characters of scripts without spaces
 * are counted, because no number of bytes per token fits prose, code, logs and Chinese alike. Against o200k it is within
 * a quarter for all of these (estimate-tokens.test.ts). What remains is corrected by what providers count.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let kind = SPACE;
  let run = 0;
  for (let index = 0; index <= text.length; index++) {
    const next = index < text.length ? kindOf(text.charCodeAt(index)) : END;
    if (next === kind) {
      run++;
      continue;
    }
    tokens += runTokens(kind, run);
    kind = next;
    run = 1;
  }
  return Math.ceil(tokens);
}

const [END, SPACE, LINE, WORD, CAPITALS, DIGIT, SIGN, IDEOGRAPH, PAIR] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** A space, or one capital, usually belongs to the next word; a long run of spaces is indentation or a table. */
function runTokens(kind: number, length: number): number {
  switch (kind) {
    case SPACE:
      return length > 1 ? 0.6 : 0;
    case LINE:
      return 0.7;
    case WORD:
      return 1 + Math.max(0, length - 8) / 6;
    case CAPITALS:
      return length === 1 ? 0.15 : length / 2.5;
    case DIGIT:
      return Math.ceil(length / 3);
    case SIGN:
      return length <= 4 ? 0.45 + length * 0.4 : 1 + length / 6;
    case IDEOGRAPH:
      return length * 0.74;
    case PAIR:
      return length * 0.75;
    default:
      return 0;
  }
}

function kindOf(code: number): number {
  if (code < 0x80) return asciiKind(code);
  if (code < 0x2000) return WORD;
  if (code < 0x2e80) return SIGN;
  if (code < 0xd800) return IDEOGRAPH;
  if (code < 0xe000) return PAIR;
  return IDEOGRAPH;
}

function asciiKind(code: number): number {
  if (code === 10 || code === 13) return LINE;
  if (code <= 32) return SPACE;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code >= 65 && code <= 90) return CAPITALS;
  return code >= 97 && code <= 122 ? WORD : SIGN;
}

export type CountText = (text: string) => number;

/** For the request itself, for a message and its role, and for a call. */
const PER_REQUEST = 3;

const PER_MESSAGE = 4;

const PER_CALL = 3;

/**
 * Whatever its size. Anthropic counts a pixel area up to about this much, OpenAI and Google less; the number that a
 * provider reports corrects it.
 */
const PER_IMAGE = 1_600;

/** The tokens of a message as it is sent. On most wires every result of a tool message is a message of its own. */
export function messageTokens(message: Message, count: CountText): number {
  switch (message.role) {
    case "user":
      return PER_MESSAGE + count(message.text) + imageTokens(message.images);
    case "assistant":
      return message.parts.reduce((sum, part) => sum + partTokens(part, count), PER_MESSAGE);
    case "tool":
      return message.results.reduce(
        (sum, { text, images }) => sum + PER_MESSAGE + count(text) + imageTokens(images),
        0,
      );
  }
}

const imageTokens = (images: readonly Image[] | undefined) => (images?.length ?? 0) * PER_IMAGE;

function partTokens(part: AnswerPart, count: CountText): number {
  return part.type === "call"
    ? PER_CALL + count(part.name) + count(part.malformed ?? JSON.stringify(part.input))
    : count(part.text);
}

/** The tokens of a tool's name, description and schema. */
export const offerTokens = ({ name, description, schema }: ToolOffer, count: CountText): number =>
  PER_CALL + count(name) + count(description) + count(JSON.stringify(schema));

/** The tokens of the system prompt, and of the request around everything else. */
export const systemTokens = (system: string, count: CountText): number => PER_REQUEST + PER_MESSAGE + count(system);
