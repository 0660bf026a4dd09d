import type { AvailableCommand, SessionUpdate } from "@agentclientprotocol/sdk";
import type { KnownCommand } from "../../../contract/known-command.ts";
import { printable } from "../../../lib/printable.ts";
import { lineCommand, lineCommandNames, type LineCommandPlace } from "../line-commands.ts";

/** Does not match a path such as /etc/hosts. */
const COMMAND = /^\/[a-z0-9][\w.:-]*(?=\s|$)/i;

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
  "/autopilot": { description: "Work on until the task is complete", hint: "task, or off" },
  "/context": { description: "Show how full the model's window is" },
  "/compact": { description: "Replace the conversation by a summary of it" },
  "/undo": { description: "Bring files and conversation back to before the last turn" },
  "/redo": { description: "Take back the last undo" },
};

/** Commands that only concern a terminal. */
const ELSEWHERE = new Set(["/quit", "/exit"]);

const names = () => lineCommandNames().filter((name) => !ELSEWHERE.has(name));

/** The commands that an editor can offer: ours, and the user's own. */
export const commandsUpdate = (own: readonly KnownCommand[]): SessionUpdate => ({
  sessionUpdate: "available_commands_update",
  availableCommands: [
    ...names().map((name): AvailableCommand => {
      const { description = name, hint } = DESCRIPTIONS[name] ?? {};
      return { name: name.slice(1), description, ...(hint === undefined ? {} : { input: { hint } }) };
    }),
    ...own.map(({ name, description, file }) => ({
      name,
      description: printable(description) || printable(file),
      input: { hint: "arguments" },
    })),
  ],
});

/** Carries out the command that a prompt begins with. */
export async function editorCommand(place: LineCommandPlace, text: string): Promise<void> {
  if (commandIn(text) === "/help") place.write(help(place.commands().commands));
  else await lineCommand(place, text.trim());
}

/** Commands that need not wait until the work before them is done. */
export const isImmediate = (text: string) => ["/help", "/id", "/effort"].includes(commandIn(text) ?? "");

function help(own: readonly KnownCommand[]): string {
  const ours = names().map((name) => `- \`${name}\` ${DESCRIPTIONS[name]?.description ?? ""}`.trimEnd());
  const others = own.map(({ name, description }) => `- \`/${printable(name)}\` ${printable(description)}`.trimEnd());
  const last = "To send a text such as `/id` to the model, put a second `/` before it.";
  return `${[...ours, ...others].join("\n")}\n\n${last}\n`;
}
