import type { AnswerPart, Image, Message } from "../../contract/message.ts";
import type { ToolOffer } from "../model.ts";

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
