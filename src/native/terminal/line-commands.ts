import { PLAN_APPROVED } from "../../contract/engine-settings.ts";
import type { KnowledgePlace, KnownCommand, KnownCommands } from "../../contract/knowledge.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { printable } from "../../lib/text/printable.ts";
import { isUserError } from "../../lib/text/user-error.ts";
import { readEffort, type ThinkingEffort } from "../../models/effort.ts";
import { loadCommands } from "../knowledge/commands.ts";
import type { Conversation } from "../session/conversation.ts";
import type { ModeSwitch } from "../session/work-mode.ts";

/** What a command that is typed at the prompt works with. */
export interface LineCommandPlace {
  readonly conversation: Conversation;
  readonly effort: ThinkingEffort;
  readonly mode: ModeSwitch;
  /** Carries out `/undo` and `/redo`. */
  readonly takeBack: (text: string) => Promise<string>;
  /** The user's own commands. */
  readonly commands: () => KnownCommands;
  readonly write: (text: string) => void;
  /** Shows what happens until it is over; Ctrl-C interrupts it. */
  readonly follow: (work: (signal: AbortSignal) => ReturnType<Conversation["compact"]>) => Promise<void>;
}

const HELP = `Type a task and press Enter; end a line with \\ to continue it; pasted text is one task.
What you type while it works reaches the model with its next request.
Ctrl-C interrupts the work; at the prompt it clears the line,
and on an empty one it ends the session, like Ctrl-D, exit, quit and /quit.
Ctrl-D during work ends the session when the work is done. /id shows its id.
/context shows how full the model's window is; /compact replaces the conversation
by a summary of it and everything you asked.
/effort shows how much the model thinks; /effort low, medium, high or max changes it.
/plan lets it only read until you type /approve; /plan TASK starts with a task.
/autopilot lets it work on until it says that the task is complete; /autopilot off ends that.
/undo takes the last turn back, its files and its part of the conversation;
/undo list shows the turns, /undo 2 takes back all from turn 2 on, /redo takes it back.
To send a text such as /id or exit as a task, put a space before it.`;

type LineCommand = (place: LineCommandPlace, text: string) => Promise<void> | void;

const ownCommands = (own: readonly KnownCommand[]) =>
  own.map(({ name, description, file }) => `/${name}  ${printable(description)} (${printable(file)})\n`).join("");

export const PLAN_ON = "plan mode: it only reads, until you type /approve";

export const AUTOPILOT_ON =
  "autopilot: it works on until it says that the task is complete, and what needs approval is denied";

const COMMANDS: Readonly<Record<string, LineCommand>> = {
  "/help": ({ write, commands }) => write(`${HELP}\n${ownCommands(commands().commands)}`),
  "/id": ({ write, conversation }) => write(`${conversation.id}\n`),
  "/effort": ({ write, effort }, text) => write(effortCommand(text, effort)),
  "/plan": planCommand,
  "/approve": approveCommand,
  "/autopilot": autopilotCommand,
  "/undo": async ({ write, takeBack }, text) => write(await takeBack(text)),
  "/redo": async ({ write, takeBack }, text) => write(await takeBack(text)),
  "/context": async ({ write, conversation }) => write(await contextLine(conversation)),
  "/compact": async ({ write, conversation, follow }) => {
    let isSilent = true;
    await follow(async function* compacting(signal) {
      for await (const event of conversation.compact(signal)) {
        isSilent = false;
        yield event;
      }
    });
    if (isSilent) write("there is nothing to shorten\n");
  },
};

/** The names of all commands that are no files, each with its slash. */
export const lineCommandNames = (): readonly string[] => Object.keys(COMMANDS);

/** The user's own commands, looked for now. A file cannot have the name of one of ours. */
export const userCommands = (place: KnowledgePlace): KnownCommands =>
  loadCommands(
    place,
    [...Object.keys(COMMANDS), "/quit", "/exit"].map((name) => name.slice(1)),
  );

/** Carries out the command at the start of a line: one of ours, or else one from a file. */
export async function lineCommand(place: LineCommandPlace, text: string): Promise<void> {
  const [word = ""] = text.split(/\s/, 1);
  const act = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  if (act !== undefined) return await act(place, text);
  const { commands: own, notLoaded } = place.commands();
  const found = own.find(({ name }) => `/${name}` === word);
  const broken = notLoaded.find(({ name }) => name.endsWith(`${word.replaceAll(":", "/")}.md`));
  if (found === undefined && broken !== undefined)
    return place.write(`${printable(`${word} cannot be used: ${broken.name}: ${broken.why}`)}\n`);
  if (found === undefined) return place.write(unknownCommand(word, own));
  const expanded = found.expand(text.slice(word.length).trim());
  if ("why" in expanded) return place.write(`${printable(found.file)}: ${expanded.why}\n`);
  place.conversation.add(expanded.text);
}

function unknownCommand(word: string, own: readonly KnownCommand[]): string {
  const near = nearest(word, [...Object.keys(COMMANDS), ...own.map(({ name }) => `/${name}`)]);
  const meant = near === undefined ? "see /help." : `did you mean ${near}?`;
  return `unknown command ${printable(word)}; ${meant} To send it as text, put a space or a second / before it.\n`;
}

async function contextLine(conversation: Conversation): Promise<string> {
  const { tokens, limit } = await conversation.measure();
  const share = Math.round((100 * tokens) / limit);
  const count = (value: number) => value.toLocaleString("en");
  return `about ${count(tokens)} of ${count(limit)} tokens (${share} %), ${count(conversation.history.length)} messages\n`;
}

function planCommand({ mode, conversation, write }: LineCommandPlace, text: string): void {
  const task = text.slice("/plan".length).trim();
  mode.set("plan");
  write(`${PLAN_ON}\n`);
  if (task !== "") conversation.add(task);
}

function autopilotCommand({ mode, conversation, write }: LineCommandPlace, text: string): void {
  const task = text.slice("/autopilot".length).trim();
  if (task === "off") {
    if (mode.current === "auto") mode.set("ask");
    return write("autopilot is off\n");
  }
  mode.set("auto");
  write(`${AUTOPILOT_ON}\n`);
  if (task !== "") conversation.add(task);
}

function approveCommand({ mode, conversation, write }: LineCommandPlace, text: string): void {
  if (mode.current !== "plan") return write("there is no plan to approve; /plan starts one\n");
  mode.set("ask");
  write("plan mode is over\n");
  conversation.add(`${PLAN_APPROVED} ${text.slice("/approve".length).trim()}`.trim());
}

/** Carries out `/effort [LEVEL]`, and returns what to show. */
export function effortCommand(task: string, effort: ThinkingEffort): string {
  const word = task.slice("/effort".length).trim();
  if (word === "") return `effort: ${effort.level ?? "the provider's default"}\n`;
  try {
    const note = effort.set(readEffort(word, "/effort"), "/effort");
    return `${note === undefined ? "" : `${note}\n`}effort: ${word}, from the next request on\n`;
  } catch (error) {
    if (!isUserError(error)) throw error;
    return `${printable(error.message)}: ${printable(error.fix)}\n`;
  }
}
