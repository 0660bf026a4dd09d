import { createInterface, type Interface } from "node:readline/promises";
import type { AskPerson } from "../../contract/tool.ts";
import type { SessionEvent } from "../../engine/event.ts";
import { printable } from "../../lib/printable.ts";
import { EXIT } from "../../lib/user-error.ts";
import type { AskUser } from "../../tools/ask-user.ts";
import { callLine } from "./call-line.ts";
import type { Conversation } from "./conversation.ts";
import { describeEvent } from "./describe-event.ts";

const HELP = `Type a task and press Enter; a line that ends with \\ goes on in the next one.
Ctrl-C interrupts the work, Ctrl-D or /quit ends the session. /id shows its name.`;

/** A terminal that one conversation is held on. */
export interface LineTerminal extends Disposable {
  readonly lines: Interface;
  readonly write: (text: string) => void;
  readonly askPerson: AskPerson;
  readonly askUser: AskUser;
  /** Calls back on Ctrl-C until it is disposed of. */
  onInterrupt(callback: () => void): Disposable;
}

export function openTerminal(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): LineTerminal {
  const lines = createInterface({ input, output });
  const write = (text: string) => void output.write(text);
  return {
    lines,
    write,
    askPerson: async ({ call, because, canRemember }, signal) => {
      write(`\n? ${callLine(call)}\n  ${printable(because)}\n`);
      const choices = canRemember ? "[y]es, yes for this [s]ession, [n]o" : "[y]es, [n]o";
      const answer = (await lines.question(`  May it run? ${choices}: `, { signal })).trim().toLowerCase();
      if (answer === "y" || answer === "yes") return "once";
      return canRemember && (answer === "s" || answer === "session") ? "session" : "reject";
    },
    askUser: async ({ question, choices }, signal) => {
      const numbered = choices.map((choice, index) => `  ${index + 1}. ${printable(choice)}\n`).join("");
      write(`\n? ${printable(question)}\n${numbered}`);
      const answer = (await lines.question("  ", { signal })).trim();
      return choices[Number(answer) - 1] ?? answer;
    },
    onInterrupt(callback) {
      // In raw mode the terminal hands Ctrl-C to the line editor, otherwise to the process.
      lines.on("SIGINT", callback);
      process.on("SIGINT", callback);
      return {
        [Symbol.dispose]() {
          lines.off("SIGINT", callback);
          process.off("SIGINT", callback);
        },
      };
    },
    [Symbol.dispose]: () => lines.close(),
  };
}

/** Holds a conversation line by line until the person ends it. */
export async function runLineMode(conversation: Conversation, terminal: LineTerminal): Promise<number> {
  terminal.write(`signalbox native, session ${conversation.id}. /help shows what you can type.\n`);
  if (conversation.unfinished) await work(conversation, terminal);
  for (let text = await readTask(terminal); text !== undefined; text = await readTask(terminal)) {
    const task = text.trim();
    if (task === "/quit" || task === "/exit") break;
    if (task === "/help") terminal.write(`${HELP}\n`);
    else if (task === "/id") terminal.write(`${conversation.id}\n`);
    else if (task !== "") {
      conversation.add(text);
      await work(conversation, terminal);
    }
  }
  terminal.write(`\nGo on later with: signalbox sessions resume ${conversation.id}\n`);
  return EXIT.ok;
}

async function work(conversation: Conversation, terminal: LineTerminal): Promise<void> {
  const abort = new AbortController();
  using _ = terminal.onInterrupt(() => abort.abort(new Error("interrupted")));
  const show = view(terminal.write);
  const run = conversation.run(abort.signal);
  for (let next = await run.next(); ; next = await run.next()) {
    if (next.done !== true) {
      show(next.value);
      continue;
    }
    const { reason, because } = next.value;
    if (reason !== "answered") terminal.write(`\n[${reason}: ${printable(because)}]\n`);
    return;
  }
}

/** Shows words as they arrive, everything else as lines between them. */
function view(write: (text: string) => void): (event: SessionEvent) => void {
  let inWords = false;
  const line = (text: string) => {
    write(`${inWords ? "\n" : ""}${text}\n`);
    inWords = false;
  };
  return (event) => {
    if (event.type === "text-delta") {
      write(printable(event.text));
      inWords = true;
      return;
    }
    const text = describeEvent(event);
    if (text !== undefined) line(text);
    else if (event.type === "turn-end" && inWords) line("");
  };
}

/** One task: a line, and those after it while they end with a backslash. Undefined at the end of the input. */
async function readTask(terminal: LineTerminal): Promise<string | undefined> {
  const { lines } = terminal;
  const closed = new AbortController();
  lines.once("close", () => closed.abort());
  using _ = terminal.onInterrupt(() => closed.abort());
  const parts: string[] = [];
  try {
    for (let prompt = "\n> "; ; prompt = "  ") {
      const line = await lines.question(prompt, { signal: closed.signal });
      parts.push(line.endsWith("\\") ? line.slice(0, -1) : line);
      if (!line.endsWith("\\")) return parts.join("\n");
    }
  } catch (error) {
    if (closed.signal.aborted) return undefined;
    throw error;
  }
}
