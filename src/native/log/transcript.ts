import { openHistory } from "../../contract/history.ts";
import type { AnswerPart, Message } from "../../contract/message.ts";
import { fenced } from "../../lib/text/printable.ts";
import type { Stamped } from "./read-log.ts";
import { historyEdit } from "./replay.ts";

/** A conversation as Markdown, for people. */
export function transcript(history: readonly Message[]): string {
  return history.map(section).join("\n");
}

function section(message: Message): string {
  switch (message.role) {
    case "user": {
      const who = message.source === "person" ? "User" : `User (${message.source})`;
      const images = message.images === undefined ? "" : `\n\n[${message.images.length} images]`;
      return `## ${who}\n\n${message.text}${images}\n`;
    }
    case "assistant":
      return `## Model\n\n${message.parts.map(part).join("\n\n")}${message.stop === "cut" ? "\n\n[interrupted]" : ""}\n`;
    case "tool":
      return message.results
        .map(({ name, text, failed }) => `### Result of ${name}${failed ? " (failed)" : ""}\n\n${fenced(text)}\n`)
        .join("\n");
  }
}

function part(item: AnswerPart): string {
  switch (item.type) {
    case "text":
      return item.text;
    case "thinking":
      return item.text === "" ? "> (hidden thinking)" : item.text.replaceAll(/^/gm, "> ");
    case "call":
      return `**${item.name}** ${fenced(JSON.stringify(item.input, null, 2), "json")}`;
  }
}

/** Messages that a session no longer shows to its model. They are still in its log. */
interface Dropped {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly because: string;
  readonly messages: readonly Message[];
}

/** What was left out of a conversation, each time it was shortened. A changed message counts as left out. */
export function droppedIn(records: readonly Stamped[]): readonly Dropped[] {
  const history = openHistory();
  const dropped: Dropped[] = [];
  for (const { record, at } of records) {
    const edit = historyEdit(record);
    if (edit === undefined) continue;
    if (record.type !== "history" && record.type !== "undo") {
      history.apply(edit);
      continue;
    }
    history.settle();
    const whole = history.messages;
    history.apply(edit);
    const kept = new Set(history.messages);
    const messages = whole.filter((message) => !kept.has(message) && !isOurs(message));
    if (messages.length > 0)
      dropped.push({ at, because: "because" in record ? record.because : record.direction, messages });
  }
  return dropped;
}

/** A summary or a block of state that stood for something else. */
const isOurs = (message: Message) =>
  message.role === "user" && (message.source === "summary" || message.source === "state");
