import type { AvailableCommand, SessionUpdate } from "@agentclientprotocol/sdk";
import { printable } from "../../../lib/printable.ts";
import { lineCommand, lineCommandNames } from "../line-commands.ts";

/** Does not match a path such as /etc/hosts. */
const COMMAND = /^\/[a-z][\w-]*(?=\s|$)/i;

/** The name of the command that a prompt begins with. */
export const commandIn = (text: string): string | undefined => COMMAND.exec(text)?.[0];

/** A text that begins with two slashes is for the model, without the first. */
export const promptText = (text: string) => (text.startsWith("//") ? text.slice(1) : text);

const DESCRIPTIONS: Readonly<Record<string, { readonly description: string; readonly hint?: string }>> = {
  "/help": { description: "Show what you can type" },
  "/id": { description: "Show the id of this session" },
  "/effort": { description: "Show or change how much the model thinks", hint: "low, medium, high or max" },
  "/plan": { description: "Only read, until you approve the plan", hint: "task" },
  "/approve": { description: "Carry out the plan", hint: "what you add to it" },
  "/context": { description: "Show how full the model's window is" },
  "/compact": { description: "Replace the conversation by a summary of it" },
  "/undo": { description: "Bring files and conversation back to before the last turn" },
  "/redo": { description: "Take back the last undo" },
};

/** Commands that only concern a terminal. */
const ELSEWHERE = new Set(["/quit", "/exit"]);

const names = () => lineCommandNames().filter((name) => !ELSEWHERE.has(name));

/** The commands that an editor can offer. */
export const commandsUpdate = (): SessionUpdate => ({
  sessionUpdate: "available_commands_update",
  availableCommands: names().map((name): AvailableCommand => {
    const { description = name, hint } = DESCRIPTIONS[name] ?? {};
    return { name: name.slice(1), description, ...(hint === undefined ? {} : { input: { hint } }) };
  }),
});

/** What a prompt that begins with a command does; undefined for a prompt to the model. */
export function editorCommand(text: string): ReturnType<typeof lineCommand> {
  const name = commandIn(text);
  if (name === undefined) return undefined;
  if (name === "/help") return ({ write }) => write(help());
  const known = names().includes(name) ? lineCommand(text) : undefined;
  return known ?? (({ write }) => write(unknown(name)));
}

/** Commands that need not wait until the work before them is done. */
export const isImmediate = (text: string) => ["/help", "/id", "/effort"].includes(commandIn(text) ?? "");

function help(): string {
  const lines = names().map((name) => `- \`${name}\` ${DESCRIPTIONS[name]?.description ?? ""}`.trimEnd());
  return `${lines.join("\n")}\n\nTo send a text such as \`/id\` to the model, put a second \`/\` before it.\n`;
}

const unknown = (name: string) =>
  `unknown command \`${printable(name)}\`; see \`/help\`. To send it as text, put a second \`/\` before it.\n`;
