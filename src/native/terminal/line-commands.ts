import { PLAN_APPROVED, WorkMode } from "../../contract/engine-settings.ts";
import type { KnowledgePlace, KnownCommand, KnownCommands } from "../../contract/knowledge.ts";
import type { CommandView, NamedCommand, SessionMove } from "../../contract/session-port.ts";
import { runGit } from "../../lib/process/run-git.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { dollars, printable } from "../../lib/text/printable.ts";
import { isUserError, messageOf } from "../../lib/text/user-error.ts";
import { readEffort, type ThinkingEffort } from "../../models/effort.ts";
import { loadCommands } from "../knowledge/commands.ts";
import type { Conversation } from "../session/conversation.ts";
import type { ModeSwitch } from "../session/work-mode.ts";

/** What a command that is typed at the prompt works with. */
export interface LineCommandPlace extends CommandView {
  readonly conversation: Conversation;
  readonly workspace: string;
  readonly effort: ThinkingEffort;
  readonly mode: ModeSwitch;
  /** Queues a prompt. */
  readonly add: (text: string) => void;
  /** Carries out `/undo` and `/redo`. */
  readonly takeBack: (text: string) => Promise<string>;
  /** The user's own commands. */
  readonly commands: () => KnownCommands;
}

const HELP = `Type a task and press Enter.
What you type while it works reaches the model with its next request.
End a line with \\ to continue it; pasted text is one task.
Ctrl-C clears the line, then interrupts the work, then leaves the session,
like exit, quit and Ctrl-D on an empty line.
!COMMAND runs a command like one of the model, which reads of it with your
next prompt. To send a text such as /id or exit, put a space before it.
`;

type LineCommand = (place: LineCommandPlace, text: string) => Promise<SessionMove | void> | SessionMove | void;

const ownCommands = (own: readonly KnownCommand[]) =>
  own.map(({ name, description, file }) => `/${name}  ${printable(description)} (${printable(file)})\n`).join("");

export const PLAN_ON = "plan mode: it only reads, until you type /approve";

export const AUTOPILOT_ON =
  "autopilot: it works on until it says that the task is complete, and what needs approval is denied";

/** Each with what it does, for `/help` and completion. */
const COMMANDS: Readonly<Record<string, readonly [does: string, act: LineCommand]>> = {
  "/help": ["this list", ({ write, commands }) => write(`${HELP}\n${helpLines()}${ownCommands(commands().commands)}`)],
  "/model": ["NAME: continue with another model", modelCommand],
  "/effort": [
    "low, medium, high or max: how much the model thinks",
    ({ write, effort }, text) => write(effortCommand(text, effort)),
  ],
  "/mode": ["ask, plan or auto: how it works", modeCommand],
  "/plan": ["only read, until /approve; /plan TASK starts with a task", planCommand],
  "/approve": ["carry out the plan", approveCommand],
  "/autopilot": ["work on until the task is complete; off ends that", autopilotCommand],
  "/new": ["start another session here", () => ({ resume: undefined })],
  "/resume": [
    "continue another session of this folder: ID",
    ({ conversation }, text) => ({ resume: argument(text) || conversation.id }),
  ],
  "/undo": ["undo the last turn, or all from turn N on; list shows them", undoCommand],
  "/redo": ["redo what was undone", undoCommand],
  "/compact": ["replace the conversation by a summary", compactCommand],
  "/context": [
    "how full the model's window is",
    async ({ write, conversation }) => write(await contextLine(conversation)),
  ],
  "/cost": ["what the session has cost", ({ write, conversation }) => write(costLine(conversation.cost))],
  "/diff": ["what has changed since the last commit", async ({ write, workspace }) => write(await diffOf(workspace))],
  "/id": ["the id of this session", ({ write, conversation }) => write(`${conversation.id}\n`)],
};

const MAX_NAME = 12;

const helpLines = () =>
  Object.entries(COMMANDS)
    .map(([name, [does]]) => `${name.padEnd(MAX_NAME)}${does}\n`)
    .join("");

const argument = (text: string) => text.replace(/^\S+/, "").trim();

/** All commands that are no files. */
export const lineCommands = (): readonly NamedCommand[] => [
  ...Object.entries(COMMANDS).map(([name, [description]]) => ({ name, description })),
  { name: "/quit", description: "leave" },
];

/** The user's own commands, looked for now. A file cannot have the name of one of ours. */
export const userCommands = (place: KnowledgePlace): KnownCommands =>
  loadCommands(
    place,
    [...Object.keys(COMMANDS), "/quit", "/exit"].map((name) => name.slice(1)),
  );

/** Carries out the command at the start of a line: one of ours, or else one from a file. */
export async function lineCommand(place: LineCommandPlace, text: string): Promise<SessionMove | void> {
  const [word = ""] = text.split(/\s/, 1);
  const [, act] = (Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined) ?? [];
  if (act !== undefined) return await act(place, text);
  const { commands: own, notLoaded } = place.commands();
  const found = own.find(({ name }) => `/${name}` === word);
  const broken = notLoaded.find(({ name }) => name.endsWith(`${word.replaceAll(":", "/")}.md`));
  if (found === undefined && broken !== undefined)
    return place.write(`${printable(`${word} cannot be used: ${broken.name}: ${broken.why}`)}\n`);
  if (found === undefined) return place.write(unknownCommand(word, own));
  const expanded = found.expand(text.slice(word.length).trim());
  if ("why" in expanded) return place.write(`${printable(found.file)}: ${expanded.why}\n`);
  place.add(expanded.text);
}

function unknownCommand(word: string, own: readonly KnownCommand[]): string {
  const near = nearest(word, [...Object.keys(COMMANDS), ...own.map(({ name }) => `/${name}`)]);
  const meant = near === undefined ? "see /help." : `did you mean ${near}?`;
  return `unknown command ${printable(word)}; ${meant} To send it as text, put a space or a second / before it.\n`;
}

async function undoCommand({ write, takeBack }: LineCommandPlace, text: string): Promise<void> {
  write(await takeBack(text));
}

async function compactCommand({ write, conversation, follow }: LineCommandPlace): Promise<void> {
  let isSilent = true;
  await follow(async function* compacting(signal) {
    for await (const event of conversation.compact(signal)) {
      isSilent = false;
      yield event;
    }
  });
  if (isSilent) write("there is nothing to shorten\n");
}

function modelCommand({ write, conversation }: LineCommandPlace, text: string): SessionMove | void {
  const model = argument(text);
  if (model !== "") return { resume: conversation.id, model };
  write(`${conversation.model}; another one: /model PROVIDER/NAME (signalbox models lists providers)\n`);
}

function modeCommand({ write, mode }: LineCommandPlace, text: string): void {
  const wanted = WorkMode.safeParse(argument(text));
  if (wanted.success) mode.set(wanted.data);
  else if (argument(text) !== "") return write(`${printable(argument(text))} is no mode: ask, plan or auto\n`);
  write(`mode: ${mode.current}\n`);
}

const costLine = (cost: number | undefined) =>
  cost === undefined ? "the price of this model is unknown\n" : `${dollars(cost)} so far\n`;

async function diffOf(workspace: string): Promise<string> {
  try {
    const { stdout } = await runGit(["diff", "HEAD", "--no-ext-diff", "--no-textconv"], { cwd: workspace, workspace });
    return stdout.length === 0 ? "nothing has changed since the last commit\n" : printable(stdout.toString("utf8"));
  } catch (error) {
    return `there is no diff: ${printable(messageOf(error))}\n`;
  }
}

async function contextLine(conversation: Conversation): Promise<string> {
  const { tokens, limit } = await conversation.measure();
  const share = Math.round((100 * tokens) / limit);
  const count = (value: number) => value.toLocaleString("en");
  return `about ${count(tokens)} of ${count(limit)} tokens (${share} %), ${count(conversation.history.length)} messages\n`;
}

function planCommand({ mode, add, write }: LineCommandPlace, text: string): void {
  const task = text.slice("/plan".length).trim();
  mode.set("plan");
  write(`${PLAN_ON}\n`);
  if (task !== "") add(task);
}

function autopilotCommand({ mode, add, write }: LineCommandPlace, text: string): void {
  const task = text.slice("/autopilot".length).trim();
  if (task === "off") {
    if (mode.current === "auto") mode.set("ask");
    return write("autopilot is off\n");
  }
  mode.set("auto");
  write(`${AUTOPILOT_ON}\n`);
  if (task !== "") add(task);
}

function approveCommand({ mode, add, write }: LineCommandPlace, text: string): void {
  if (mode.current !== "plan") return write("there is no plan to approve; /plan starts one\n");
  mode.set("ask");
  write("plan mode is over\n");
  add(`${PLAN_APPROVED} ${text.slice("/approve".length).trim()}`.trim());
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
