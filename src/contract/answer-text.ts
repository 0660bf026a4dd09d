import type { AssistantMessage } from "./message.ts";

/** The text of an answer, without its thinking. */
export function answerText(message: AssistantMessage): string {
  return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}
