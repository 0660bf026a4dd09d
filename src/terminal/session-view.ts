import type { ModelCall, SessionEvent, SessionOutcome } from "../contract/engine-event.ts";
import type { SessionWords } from "../contract/session-port.ts";
import { printable } from "../lib/text/printable.ts";
import { type CallBlock, doneBlock, isFolded, runningBlock } from "./blocks.ts";
import { type MarkdownStream, markdownStream } from "./markdown-stream.ts";
import { cut, wrapped } from "./screen.ts";
import { timeOf } from "./status-line.ts";
import type { Paint, Style } from "./style.ts";

/** A conversation as it is shown: what is done, once, and what still changes. */
export interface SessionView {
  see(event: SessionEvent): void;
  /** Says how a run ended, unless it simply was answered. */
  ended(outcome: Pick<SessionOutcome, "reason" | "because" | "gate">): void;
  /** A text of ours. */
  note(text: string, paint?: Paint): void;
  /** Shows the last block that was folded, whole; then the one before it. */
  unfold(): void;
  take(width: number): readonly string[];
  live(width: number): readonly string[];
  /** True while something runs whose time is shown. */
  readonly hasClock: boolean;
}

type Part = (width: number) => readonly string[];

type Kind = "text" | "call" | "note" | "prompt";

interface ViewParts {
  readonly style: Style;
  readonly now: () => number;
  readonly words: () => SessionWords;
}

const THINKING_LINES = 3;
const MAX_PROMPT_LINES = 12;
const MAX_FOLDED = 50;

export function sessionView({ style, now, words }: ViewParts): SessionView {
  const done: Part[] = [];
  const folded: Part[] = [];
  let last: Kind | undefined;
  let unfolds = 0;
  let stream: MarkdownStream | undefined;
  let thinking: { text: string; readonly since: number } | undefined;
  /** In the order of their start. The first ones may have ended, if an earlier one has not. */
  let running: CallBlock[] = [];

  const gap = (kind: Kind) => {
    if (last !== undefined && (kind !== last || kind === "prompt")) done.push(() => [""]);
    last = kind;
  };
  const fold = (part: Part) => {
    folded.push(part);
    if (folded.length > MAX_FOLDED) folded.shift();
    unfolds = 0;
  };
  const endThinking = () => {
    if (thinking === undefined) return;
    const { text, since } = thinking;
    thinking = undefined;
    gap("note");
    const time = timeOf(now() - since);
    done.push((width) => [style.dim(cut(`thought for ${time} (ctrl-o shows it)`, width))]);
    fold((width) => dimmed(text, width, style));
  };
  const endText = () => {
    endThinking();
    if (stream === undefined) return;
    stream.end();
    // Taken at the width of the next frame, like all that is done.
    const ended = stream;
    done.push((width) => ended.take(width));
    stream = undefined;
  };
  const note = (text: string, paint: Paint = style.dim) => {
    endText();
    gap("note");
    const lines = printable(text).trimEnd().replaceAll("\t", "  ").split("\n");
    done.push((width) => lines.flatMap((line) => wrapped(paint(line), width)));
  };
  const prompt = (text: string) => {
    endText();
    gap("prompt");
    done.push((width) => promptLines(text, width, style));
  };
  const say = (text: string) => {
    if (stream === undefined) {
      endThinking();
      gap("text");
      stream = markdownStream(style);
    }
    stream.push(printable(text).replaceAll("\t", "  "));
  };
  const begin = (call: ModelCall) => {
    endText();
    running.push({ call, line: words().call(call), recent: "", started: now() });
  };
  const settle = () => {
    while (running[0]?.end !== undefined) {
      const [block] = running;
      running = running.slice(1);
      gap("call");
      done.push((width) => doneBlock(block, { width, style, now: 0 }));
      if (isFolded(block)) fold((width) => doneBlock(block, { width, style, now: 0, isWhole: true }));
    }
  };
  const end = (event: Extract<SessionEvent, { readonly type: "tool-end" }>) => {
    const block = running.find(({ call }) => call.id === event.result.callId);
    if (block !== undefined) block.end = { event, ms: now() - block.started, told: words().event(event) };
    settle();
    const { ends } = event.result;
    if (ends !== undefined) say(`${ends.summary}\n`);
  };
  return {
    see(event) {
      switch (event.type) {
        case "text-delta":
          return say(event.text);
        case "thinking-delta":
          thinking ??= { text: "", since: now() };
          thinking.text += event.text;
          return;
        case "tool-start":
          return words().event(event)?.startsWith("next: ") === true ? undefined : begin(event.call);
        case "tool-progress": {
          const block = running.find(({ call }) => call.id === event.callId);
          if (block !== undefined) block.recent = event.recent ?? event.text;
          return;
        }
        case "tool-end":
          return end(event);
        case "message":
          if (event.message.role === "user" && event.message.source === "person") prompt(event.message.text);
          return;
        case "turn-end":
          return endText();
        default: {
          const text = words().event(event);
          if (text !== undefined) note(text, style.dim);
        }
      }
    },
    ended(outcome) {
      endText();
      // A run that was cut off leaves calls without an end.
      running = [];
      if (outcome.reason === "answered") return;
      const [verdict = "", ...above] = words().outcome(outcome).toReversed();
      note([...above, verdict].join("\n"), style.yellow);
    },
    note,
    unfold() {
      const part = folded.at(-1 - unfolds);
      if (part === undefined) return note(folded.length === 0 ? "nothing is folded" : "nothing else is folded");
      unfolds++;
      endText();
      gap("note");
      done.push(part);
    },
    take(width) {
      const lines = done.splice(0).flatMap((part) => [...part(width)]);
      return stream === undefined ? lines : [...lines, ...stream.take(width)];
    },
    live(width) {
      const thought = thinking === undefined ? [] : dimmed(thinking.text, width, style).slice(-THINKING_LINES);
      const view = { width, style, now: now() };
      const text = stream?.live(width) ?? [];
      const calls = running.flatMap((block) => [
        ...(block.end === undefined ? runningBlock(block, view) : doneBlock(block, view)),
      ]);
      const parts = [thought, text, calls].filter((lines) => lines.length > 0);
      const isApart = last !== undefined && parts.length > 0 && text.length === 0 && !(calls.length > 0 && last === "call");
      return [...(isApart ? [""] : []), ...parts.flatMap((lines, index) => [...(index > 0 ? [""] : []), ...lines])];
    },
    get hasClock() {
      return running.length > 0;
    },
  };
}

const MAX_THOUGHT = 20_000;

const dimmed = (text: string, width: number, style: Style) =>
  printable(text.slice(-MAX_THOUGHT))
    .replaceAll("\t", "  ")
    .trim()
    .split("\n")
    .flatMap((line) => wrapped(line, width - 2).map((each) => `  ${style.dim(style.italic(each))}`));

/** What a person has asked, by its beginning where it is long. */
function promptLines(text: string, width: number, style: Style): readonly string[] {
  const beginning = printable(text.slice(0, MAX_PROMPT_LINES * 400)).replaceAll("\t", "  ").trimEnd();
  const lines = beginning.split("\n").flatMap((line) => [...wrapped(line, width - 2)]);
  const isCut = lines.length > MAX_PROMPT_LINES || beginning.length < text.trimEnd().length;
  const more = isCut ? [style.dim(`  … ${text.length.toLocaleString("en")} characters`)] : [];
  return [
    ...lines.slice(0, MAX_PROMPT_LINES).map((line, index) => `${style.cyan(index === 0 ? "❯" : " ")} ${style.bold(line)}`),
    ...more,
  ];
}
