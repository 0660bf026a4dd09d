import { answerText } from "../../contract/answer-text.ts";
import type { Message } from "../../contract/message.ts";
import { printable } from "../../lib/printable.ts";
import { shortLine } from "../../lib/short-line.ts";

const MAX_PROMPT = 200;
const MAX_LINES = 12;

/** How a conversation ended that is now resumed: the person's last words and the model's. Empty for a new one. */
export function endOfTalk(history: readonly Message[]): string {
  const asked = history.findLast((message) => message.role === "user" && message.source === "person");
  const said = history.findLast((message) => message.role === "assistant" && answerText(message).trim() !== "");
  if (asked?.role !== "user") return "";
  const answer = said?.role === "assistant" ? lastLines(printable(answerText(said)).trimEnd()) : "";
  return `\n> ${shortLine(asked.text, MAX_PROMPT)}\n${answer === "" ? "" : `${answer}\n`}`;
}

function lastLines(text: string): string {
  const lines = text.split("\n");
  return lines.length <= MAX_LINES ? text : ["…", ...lines.slice(-MAX_LINES)].join("\n");
}
