import type { AnswerPart, Message } from "../contract/message.ts";

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

/** A fence longer than any in the text. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
