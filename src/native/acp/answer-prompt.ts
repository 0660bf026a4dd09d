import {
  type AvailableCommand,
  type ContentBlock,
  type PromptRequest,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
  type StopReason,
} from "@agentclientprotocol/sdk";
import type { SessionEvent, SessionOutcome } from "../../contract/engine-event.ts";
import type { KnownCommand } from "../../contract/knowledge.ts";
import type { Image } from "../../contract/message.ts";
import { drained } from "../../lib/process/tasks.ts";
import { printable } from "../../lib/text/printable.ts";
import { sessionTitle } from "../log/list-sessions.ts";
import { outcomeLines } from "../terminal/event-lines.ts";
import { lineCommand, type LineCommandPlace, lineCommands } from "../terminal/line-commands.ts";
import type { EditorSession } from "./editor-session.ts";
import { choiceUpdates } from "./session-choices.ts";
import { message, sessionUpdates } from "./session-updates.ts";

/** Works on a prompt until there is nothing left to do, or carries out the command it consists of. */
export async function answerPrompt(session: EditorSession, { prompt }: PromptRequest): Promise<PromptResponse> {
  const { text, images } = promptContent(prompt);
  if (text.trim() === "" && images.length === 0) throw RequestError.invalidParams(undefined, "the prompt is empty");
  const isCommand = images.length === 0 && commandIn(text) !== undefined;
  const { conversation } = session;
  const isFirst = conversation.history.length === 0 && conversation.queued === 0;
  if (isCommand) {
    const act: Run = (abort) => carryOut(session, text, abort);
    const response = isImmediate(text) ? await act(new AbortController()) : await inTurn(session, act);
    await tellChoices(session);
    if (conversation.queued === 0 || response.stopReason !== "end_turn") return response;
  } else conversation.add(promptText(text), images);
  if (isFirst) await told(session, { sessionUpdate: "session_info_update", title: sessionTitle(text) });
  return await answered(session);
}

async function carryOut(session: EditorSession, text: string, abort: AbortController): Promise<PromptResponse> {
  const write = (words: string) => void told(session, message(words));
  const follow: LineCommandPlace["follow"] = async (begin) => {
    for await (const event of begin(abort.signal)) await show(session, event, abort);
  };
  const add = (words: string) => void session.conversation.add(words);
  await editorCommand({ ...session, effort: session.models.effort, add, write, follow }, text);
  return { stopReason: abort.signal.aborted ? "cancelled" : "end_turn" };
}

/** A prompt that comes while another is worked on reaches the model with its next request, and ends with that work. */
async function answered(session: EditorSession): Promise<PromptResponse> {
  while (session.working !== undefined) {
    const response = await session.working.answer;
    // It may have come too late for that work.
    if (response.stopReason === "cancelled" || session.conversation.queued === 0) return response;
  }
  return await occupy(session, (abort) => work(session, abort));
}

/** Waits until nothing else is worked on. */
async function inTurn(session: EditorSession, run: Run): Promise<PromptResponse> {
  while (session.working !== undefined) await session.working.answer.catch(() => undefined);
  return await occupy(session, run);
}

type Run = (abort: AbortController) => Promise<PromptResponse>;

async function occupy(session: EditorSession, run: Run): Promise<PromptResponse> {
  const abort = new AbortController();
  const answer = run(abort).finally(() => (session.working = undefined));
  session.working = { abort, answer };
  return await answer;
}

async function work(session: EditorSession, abort: AbortController): Promise<PromptResponse> {
  const outcome = await drained(session.conversation.run(abort.signal), (event) => show(session, event, abort));
  await tellChoices(session);
  await told(session, { sessionUpdate: "session_info_update", updatedAt: new Date().toISOString() });
  if (["gate-gave-up", "limit", "no-progress", "refused"].includes(outcome.reason))
    await told(session, message(`\n\n> ${outcomeLines(outcome).join("\n").replaceAll("\n", "\n> ")}\n\n`));
  return { stopReason: stopReason(outcome) };
}

/** If the editor is gone, the run is interrupted but still ends properly and is logged. */
async function show(session: EditorSession, event: SessionEvent, abort: AbortController): Promise<void> {
  for (const update of sessionUpdates(event, session)) await session.link.tell(update).catch(() => abort.abort());
}

const told = ({ link }: EditorSession, update: Parameters<EditorSession["link"]["tell"]>[0]) =>
  link.tell(update).catch(() => {
    // An editor that is gone needs no update.
  });

/** What was changed by a command or a tool, and not by the editor itself. */
async function tellChoices(session: EditorSession): Promise<void> {
  for (const update of choiceUpdates(session, session.told)) await told(session, update);
}

function stopReason({ reason, because }: SessionOutcome): StopReason {
  switch (reason) {
    case "answered":
    case "rejected":
    case "gate-gave-up":
      return "end_turn";
    case "aborted":
      return "cancelled";
    case "limit":
    case "no-progress":
      return "max_turn_requests";
    case "refused":
      return "refusal";
    case "failed":
      throw RequestError.internalError(undefined, because);
  }
}

/** An editor's prompt as text and images. A link is included by name, so that the model can read it with its tools. */
function promptContent(blocks: readonly ContentBlock[]): { readonly text: string; readonly images: Image[] } {
  const texts: string[] = [];
  const images: Image[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        texts.push(block.text);
        break;
      case "image":
        images.push({ mediaType: block.mimeType, base64: block.data });
        break;
      case "resource_link":
        texts.push(`[${block.name}](${block.uri})`);
        break;
      case "resource":
        if ("text" in block.resource)
          texts.push(`<file uri=${JSON.stringify(block.resource.uri)}>\n${block.resource.text}\n</file>`);
        else texts.push(`[a binary resource: ${block.resource.uri}]`);
        break;
      case "audio":
        texts.push("[audio is not supported]");
        break;
    }
  }
  return { text: texts.join("\n"), images };
}

/** Does not match a path such as /etc/hosts. */
const COMMAND = /^\/[a-z0-9][\w.:-]*(?=\s|$)/i;

/** The name of the command that a prompt begins with. */
const commandIn = (text: string): string | undefined => COMMAND.exec(text)?.[0];

/** A text that begins with two slashes is for the model, without the first. */
const promptText = (text: string) => (text.startsWith("//") ? text.slice(1) : text);

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
  "/cost": { description: "Show what the session has cost" },
  "/diff": { description: "Show what has changed since the last commit" },
};

/** Commands that only concern a terminal: an editor has its own ways to do these. */
const ELSEWHERE = new Set(["/quit", "/exit", "/new", "/resume", "/model", "/mode"]);

const names = () => lineCommands().flatMap(({ name }) => (ELSEWHERE.has(name) ? [] : [name]));

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
async function editorCommand(place: LineCommandPlace, text: string): Promise<void> {
  const name = commandIn(text);
  if (name === "/help") place.write(help(place.commands().commands));
  else if (name !== undefined && ELSEWHERE.has(name))
    place.write(`${name} is for the terminal; use your editor's own way\n`);
  else await lineCommand(place, text.trim());
}

/** Commands that need not wait until the work before them is done. */
const isImmediate = (text: string) => ["/help", "/id", "/effort"].includes(commandIn(text) ?? "");

function help(own: readonly KnownCommand[]): string {
  const ours = names().map((name) => `- \`${name}\` ${DESCRIPTIONS[name]?.description ?? ""}`.trimEnd());
  const others = own.map(({ name, description }) => `- \`/${printable(name)}\` ${printable(description)}`.trimEnd());
  const last = "To send a text such as `/id` to the model, put a second `/` before it.";
  return `${[...ours, ...others].join("\n")}\n\n${last}\n`;
}
