import type { SessionEvent, SessionOutcome } from "../../contract/engine-event.ts";
import { answerText, type Message } from "../../contract/message.ts";
import type { SessionMove, SessionPort } from "../../contract/session-port.ts";
import type { AskPerson, AskUser, PermissionAnswer } from "../../contract/tool.ts";
import { readTyped } from "../../contract/typed-line.ts";
import { drained } from "../../lib/process/tasks.ts";
import { printable, shortLine } from "../../lib/text/printable.ts";
import { describeEvent, isToldAtEnd, outcomeLines, showCall } from "./event-lines.ts";
import { AUTOPILOT_ON, PLAN_ON } from "./line-commands.ts";
import { type LineReader, lineReader } from "./line-reader.ts";
import { waitingLine } from "./one-task.ts";

const MAX_REASON = 600;

const MAX_QUEUED = 100;

/** The terminal of one conversation. */
interface LineTerminal extends Disposable {
  readonly lines: LineReader;
  readonly write: (text: string) => void;
  readonly askPerson: AskPerson;
  readonly askUser: AskUser;
}

export function openTerminal(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): LineTerminal {
  const lines = lineReader(input, output);
  const write = (text: string) => void output.write(text);
  const ask = async (question: string, signal: AbortSignal) => {
    const dropped = lines.forget();
    if (dropped > 0)
      write(
        `  (${dropped === 1 ? "a queued line was" : `${dropped} queued lines were`} dropped: it was typed before the question)\n`,
      );
    const answer = await lines.read(question, signal);
    // If the user ended the input instead of answering, the line is still open.
    if (answer === undefined) write("\n");
    return answer?.trim();
  };
  return {
    lines,
    write,
    askPerson: async ({ call, because, canRemember }, signal) => {
      const { text, whole } = showCall(call);
      write(`\n? ${text}\n  ${shortLine(because, MAX_REASON)}\n`);
      // A call that is not fully visible cannot be approved for the session.
      const offersSession = canRemember && whole;
      const choices = offersSession ? "[y]es, yes for this [s]ession, [n]o" : "[y]es, [n]o";
      const known = offersSession ? SESSION_ANSWERS : ANSWERS;
      for (;;) {
        const answer = (await ask(`  Allow this call? ${choices}: `, signal))?.toLowerCase();
        if (answer === undefined) return "reject";
        const [, meaning] = Object.entries(known).find(([word]) => word === answer) ?? [];
        if (meaning !== undefined) return meaning;
        write(`  please answer ${offersSession ? "y, s or n" : "y or n"}\n`);
      }
    },
    askUser: async ({ question, choices }, signal) => {
      const numbered = choices.map((choice, index) => `  ${index + 1}. ${printable(choice)}\n`).join("");
      write(`\n? ${printable(question)}\n${numbered}`);
      const answer = (await ask("  ", signal)) ?? "";
      return choices[Number(answer) - 1] ?? answer;
    },
    [Symbol.dispose]: () => lines[Symbol.dispose](),
  };
}

const ANSWERS: Readonly<Record<string, PermissionAnswer>> = { y: "once", yes: "once", n: "reject", no: "reject" };

const SESSION_ANSWERS: typeof ANSWERS = { ...ANSWERS, s: "session", session: "session" };

/** Runs a conversation line by line until the user ends it, or moves to another session. */
export async function runLineMode(port: SessionPort, terminal: LineTerminal): Promise<SessionMove | undefined> {
  terminal.write(`signalbox native, session ${port.id}\n/help shows what you can type.\n`);
  terminal.write(endOfTalk(port.history));
  if (port.mode === "plan") terminal.write(`${PLAN_ON}\n`);
  if (port.mode === "auto") terminal.write(`${AUTOPILOT_ON}\n`);
  const view = { write: terminal.write, follow: (begin: Begin) => work(port, terminal, begin) };
  if (port.unfinished) await work(port, terminal);
  for (let text = await readTask(terminal); text !== undefined; text = await readTask(terminal)) {
    const typed = readTyped(text);
    if (typed.kind === "leave") break;
    if (typed.kind === "command") {
      const move = await port.command(typed.text, view);
      if (move !== undefined) return move;
      // It may have been a task, or one may have been typed meanwhile.
      if (port.queued > 0) await work(port, terminal);
    } else if (typed.kind === "shell") {
      await work(port, terminal, (signal) => shellWork(port.shell(typed.text, signal), terminal.write));
    } else if (typed.kind === "task") {
      port.add(typed.text);
      await work(port, terminal);
    }
  }
  terminal.write(`\nResume later with: signalbox sessions resume ${port.id}\n`);
  return undefined;
}

/** In this mode nothing else shows what a command of the person has printed. */
async function* shellWork(events: AsyncGenerator<SessionEvent>, write: (text: string) => void): ReturnType<Begin> {
  for await (const event of events) {
    yield event;
    if (event.type === "tool-end" && !event.result.failed) write(`${printable(event.result.text)}\n`);
  }
}

type Begin = (signal: AbortSignal) => AsyncGenerator<SessionEvent, SessionOutcome | void>;

async function work(
  port: SessionPort,
  terminal: LineTerminal,
  begin: Begin = (signal) => port.run(signal),
): Promise<void> {
  const { lines } = terminal;
  const abort = new AbortController();
  using _ = lines.onInterrupt(() => abort.abort(new Error("interrupted")));
  using waiting = waitingLine(port.model, () => !lines.typing);
  using __ = lines.onKey(() => waiting.hide());
  const write = (text: string) => waiting.aside(() => terminal.write(text));
  using ___ = lines.onTyped((text) => {
    const typed = readTyped(text);
    // A line that goes on is not a whole text yet.
    const steers = typed.kind === "task" && !text.endsWith("\\");
    if (steers) port.add(typed.text);
    write(`  ${steers ? "for its next request" : "queued"}: ${shortLine(text, MAX_QUEUED)}\n`);
    return steers;
  });
  const show = view(write);
  const outcome = await drained(begin(abort.signal), (event) => {
    // From here on, the model's text fills the line.
    if (event.type === "text-delta") waiting.stop();
    show(event);
    waiting.see(event);
  });
  const { reason, ...why } = outcome ?? { reason: "answered", because: "" };
  const [last, ...above] = outcomeLines({ reason, ...why }).toReversed();
  if (reason !== "answered") write(`\n${above.map((line) => `${line}\n`).join("")}[${last}]\n`);
}

/** Shows text as it arrives, and everything else on separate lines. */
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
    const text = isToldAtEnd(event) ? undefined : (summaryIn(event) ?? describeEvent(event));
    if (text !== undefined) line(text);
    else if (event.type === "turn-end" && inWords) {
      write("\n");
      inWords = false;
    }
  };
}

/** The summary of a call that ends the run is the answer, and nobody has seen it yet. */
const summaryIn = (event: SessionEvent) =>
  event.type === "tool-end" && event.result.ends !== undefined ? printable(event.result.ends.summary) : undefined;

/** Reads one task: a line, plus the following ones while they end with a backslash. Undefined when the user is done. */
async function readTask({ lines }: LineTerminal): Promise<string | undefined> {
  const stop = new AbortController();
  const parts: string[] = [];
  using _ = lines.onInterrupt(() => {
    if (!lines.typing && parts.length === 0) stop.abort();
    parts.splice(0);
    lines.clear();
  });
  try {
    for (let prompt = "\n> "; ; prompt = "  ") {
      const line = await lines.read(prompt, stop.signal);
      if (line === undefined) return undefined;
      parts.push(line.endsWith("\\") ? line.slice(0, -1) : line);
      if (!line.endsWith("\\")) return parts.join("\n");
    }
  } catch (error) {
    if (stop.signal.aborted) return undefined;
    throw error;
  }
}

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
