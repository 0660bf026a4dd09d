import type { ModelCall, SessionEnd, SessionEvent } from "../contract/engine-event.ts";
import type { AssistantMessage, Message } from "../contract/message.ts";
import type { SessionWords } from "../contract/session-port.ts";
import { printable } from "../lib/text/printable.ts";
import { type CallBlock, doneBlock, isFolded, runningBlock } from "./blocks.ts";
import { MarkdownStream } from "./markdown-stream.ts";
import { cut, wrapped } from "./screen.ts";
import { timeOf } from "./status-line.ts";
import type { TextPaint, Style } from "./style.ts";

type Part = (width: number) => readonly string[];

type Kind = "text" | "call" | "note" | "prompt";

interface ViewParts {
  readonly style: Style;
  readonly now: () => number;
  readonly words: () => SessionWords;
}

const THINKING_LINES = 3;
const MAX_PROMPT_LINES = 12;
/** A result may be long. */
const MAX_FOLDED = 20;

/** A conversation as it is shown: what is done, once, and what still changes. */
export class ConversationView {
  readonly #style: Style;
  readonly #now: () => number;
  readonly #words: () => SessionWords;
  readonly #done: Part[] = [];
  readonly #folded: Part[] = [];
  #unfolds = 0;
  #last: Kind | undefined;
  #stream: MarkdownStream | undefined;
  #thinking: { text: string; readonly since: number } | undefined;
  /** In the order of their start. The first ones may have ended, if an earlier one has not. */
  #running: CallBlock[] = [];

  constructor({ style, now, words }: ViewParts) {
    this.#style = style;
    this.#now = now;
    this.#words = words;
  }

  see(event: SessionEvent): void {
    switch (event.type) {
      case "text-delta":
        return this.#say(event.text);
      case "thinking-delta":
        this.#thinking ??= { text: "", since: this.#now() };
        this.#thinking.text += event.text;
        return;
      case "tool-start":
        return this.#begin(event.call);
      case "tool-progress": {
        const block = this.#running.find(({ call }) => call.id === event.callId);
        if (block !== undefined) block.recent = event.recent ?? event.text;
        return;
      }
      case "tool-end":
        return this.#end(event);
      case "message":
        if (event.message.role === "user" && event.message.source === "person") this.#prompt(event.message.text);
        return;
      case "turn-end":
        return this.#endText();
      default: {
        const text = this.#words().event(event);
        if (text !== undefined) this.note(text);
      }
    }
  }

  /** Says how a run ended, unless it simply was answered. */
  ended(outcome: SessionEnd): void {
    this.#endText();
    // A run that was cut off leaves calls without an end.
    this.#running = [];
    if (outcome.reason !== "answered") this.note(this.#words().outcome(outcome).join("\n"), this.#style.yellow);
  }

  /** How a conversation ended that is resumed. */
  showEnd(history: readonly Message[]): void {
    const asked = history.findLast((message) => message.role === "user" && message.source === "person");
    const said = history.findLast((message) => message.role === "assistant" && textIn(message).trim() !== "");
    if (asked?.role === "user") this.#prompt(asked.text);
    if (said?.role === "assistant") this.#say(textIn(said));
    this.#endText();
  }

  /** A text of ours. */
  note(text: string, paint: TextPaint = this.#style.dim): void {
    this.#endText();
    this.#gap("note");
    const lines = printable(text).trimEnd().replaceAll("\t", "  ").split("\n");
    this.#done.push((width) => lines.flatMap((line) => wrapped(paint(line), width)));
  }

  /** Shows the last block that was folded, whole; then the one before it. */
  unfold(): void {
    const part = this.#folded.at(-1 - this.#unfolds);
    if (part === undefined) return this.note(this.#unfolds === 0 ? "nothing is folded" : "nothing else is folded");
    this.#unfolds++;
    this.#endText();
    this.#gap("note");
    this.#done.push(part);
  }

  take(width: number): readonly string[] {
    const lines = this.#done.splice(0).flatMap((part) => [...part(width)]);
    return this.#stream === undefined ? lines : [...lines, ...this.#stream.take(width)];
  }

  live(width: number): readonly string[] {
    const style = this.#style;
    const thought = this.#thinking === undefined ? [] : dimmed(this.#thinking.text, width, style);
    const view = { width, style, now: this.#now() };
    const text = this.#stream?.live(width) ?? [];
    const calls = this.#running.flatMap((block) => [
      ...(block.end === undefined ? runningBlock(block, view) : doneBlock(block, view)),
    ]);
    const parts = [thought.slice(-THINKING_LINES), text, calls].filter((lines) => lines.length > 0);
    const isOfLast = text.length > 0 || (calls.length > 0 && this.#last === "call");
    const isApart = this.#last !== undefined && parts.length > 0 && !isOfLast;
    return [...(isApart ? [""] : []), ...parts.flatMap((lines, index) => [...(index > 0 ? [""] : []), ...lines])];
  }

  /** An empty line between things of different kinds. */
  #gap(kind: Kind): void {
    if (this.#last !== undefined && (kind !== this.#last || kind === "prompt")) this.#done.push(() => [""]);
    this.#last = kind;
  }

  #fold(part: Part): void {
    this.#folded.push(part);
    if (this.#folded.length > MAX_FOLDED) this.#folded.shift();
    this.#unfolds = 0;
  }

  #prompt(text: string): void {
    this.#endText();
    this.#gap("prompt");
    this.#done.push((width) => promptLines(text, width, this.#style));
  }

  #say(text: string): void {
    if (this.#stream === undefined) {
      this.#endThinking();
      this.#gap("text");
      this.#stream = new MarkdownStream(this.#style);
    }
    this.#stream.push(printable(text).replaceAll("\t", "  "));
  }

  #endText(): void {
    this.#endThinking();
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.end();
    // Drawn at the width of the next frame, like all that is done.
    if (stream !== undefined) this.#done.push((width) => stream.take(width));
  }

  #endThinking(): void {
    if (this.#thinking === undefined) return;
    const { text, since } = this.#thinking;
    this.#thinking = undefined;
    this.#gap("note");
    const time = this.#now() - since;
    const line = this.#style.dim(`thought${time < 1000 ? "" : ` for ${timeOf(time)}`} (ctrl-o shows it)`);
    this.#done.push((width) => [cut(line, width)]);
    this.#fold((width) => dimmed(text, width, this.#style));
  }

  #begin(call: ModelCall): void {
    const intent = this.#words().event({ type: "tool-start", call });
    this.#endText();
    // What the model says it will do next is a sentence, and no call that does something.
    if (intent?.startsWith("next: ") === true) return this.note(intent);
    this.#running.push({ call, line: this.#words().call(call), recent: "", started: this.#now() });
  }

  #end(event: Extract<SessionEvent, { readonly type: "tool-end" }>): void {
    const block = this.#running.find(({ call }) => call.id === event.result.callId);
    if (block !== undefined) block.end = { event, ms: this.#now() - block.started, told: this.#words().event(event) };
    while (this.#running[0]?.end !== undefined) this.#settle(this.#running[0]);
    const { ends } = event.result;
    if (ends !== undefined) this.#say(`${ends.summary}\n`);
  }

  #settle(block: CallBlock): void {
    this.#running = this.#running.slice(1);
    this.#gap("call");
    const view = { style: this.#style, now: 0 };
    this.#done.push((width) => doneBlock(block, { ...view, width }));
    if (isFolded(block)) this.#fold((width) => doneBlock(block, { ...view, width, isWhole: true }));
  }
}

const textIn = ({ parts }: AssistantMessage) =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");

const MAX_THOUGHT = 20_000;

const dimmed = (text: string, width: number, style: Style) =>
  printable(text.slice(-MAX_THOUGHT))
    .replaceAll("\t", "  ")
    .trim()
    .split("\n")
    .flatMap((line) => wrapped(line, width - 2).map((each) => `  ${style.dim(style.italic(each))}`));

/** What a person has asked, by its beginning where it is long. */
function promptLines(text: string, width: number, style: Style): readonly string[] {
  const beginning = printable(text.slice(0, MAX_PROMPT_LINES * 400))
    .replaceAll("\t", "  ")
    .trimEnd();
  const lines = beginning.split("\n").flatMap((line) => [...wrapped(line, width - 2)]);
  const isCut = lines.length > MAX_PROMPT_LINES || beginning.length < text.trimEnd().length;
  const more = isCut ? [style.dim(`  … ${text.length.toLocaleString("en")} characters`)] : [];
  return [
    ...lines
      .slice(0, MAX_PROMPT_LINES)
      .map((line, index) => `${style.cyan(index === 0 ? "❯" : " ")} ${style.bold(line)}`),
    ...more,
  ];
}
