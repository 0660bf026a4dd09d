import { Input } from "@earendil-works/pi-tui/dist/components/input.js";
import type { OfferedRule, PermissionAnswer, PermissionQuestion } from "../contract/tool.ts";
import type { SessionWords } from "../contract/session-port.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { printable, printableLine } from "../lib/text/printable.ts";
import { diffLine } from "./highlight.ts";
import { CURSOR, cut, isKey, wrapped } from "./screen.ts";
import type { TextPaint, Style } from "./style.ts";

/** Something in place of the editor that gets the keys until it is answered. */
export interface Dialog {
  render(width: number, height: number): readonly string[];
  /** False for a key that means nothing here. */
  onKey(key: string): boolean | void;
}

interface DialogParts<Answer> {
  readonly style: Style;
  /** Shows it again. */
  readonly redraw: () => void;
  readonly answer: (answer: Answer) => void;
}

interface PermissionParts extends DialogParts<PermissionAnswer> {
  readonly words: SessionWords;
  /** False while what is typed may still be meant for the prompt. */
  readonly isArmed: () => boolean;
}

type Step =
  | { readonly at: "choice" }
  | { readonly at: "rule"; readonly rule: OfferedRule | undefined }
  | { readonly at: "word" };

const MAX_DETAILS = 30;

/** Asks whether a call may run. A key that means nothing asks again. */
export class PermissionDialog implements Dialog {
  readonly #question: PermissionQuestion;
  readonly #parts: PermissionParts;
  readonly #shown: ReturnType<SessionWords["question"]>;
  readonly #keys: readonly ChoiceKey[];
  readonly #word: LineInput;
  #step: Step = { at: "choice" };
  #hint = "";
  #hasDetails = false;

  constructor(question: PermissionQuestion, parts: PermissionParts) {
    this.#question = question;
    this.#parts = parts;
    this.#shown = parts.words.question(question.call);
    this.#keys = keysOf(question, this.#shown.whole);
    this.#word = lineInput((text) => parts.answer(text.trim() === "" ? "reject" : { instead: text.trim() }));
  }

  onKey(key: string): boolean | void {
    if (this.#step.at === "rule") return this.#decideRule(key, this.#step.rule);
    if (this.#step.at === "choice") return this.#choose(key);
    if (isKey(key, "escape")) this.#step = { at: "choice" };
    else if (isKey(key, "ctrl+c")) this.#parts.answer("reject");
    else this.#word.onKey(key);
  }

  render(width: number, height: number): readonly string[] {
    const { style, isArmed } = this.#parts;
    const { because, parts } = this.#question;
    const { why = because, lends = [] } = parts ?? {};
    const layout = { width, style };
    const body = [
      ...field("", this.#shown.text, style.bold, layout),
      ...field("why", why, PLAIN, layout),
      ...lends.flatMap((lend) => field("a yes would", lend, PLAIN, layout)),
      ...(this.#hasDetails ? detailLines(this.#question, layout) : []),
    ];
    const hint = this.#hint;
    const foot = isArmed()
      ? footOf(this.#step, { ...layout, hint, keys: this.#keys, word: this.#word })
      : [style.yellow(cut(`  ${hint === "" ? "…" : hint}`, width))];
    const room = Math.max(1, height - foot.length - 2);
    const left = body.length - room;
    const visible = left > 0 ? [...body.slice(0, room - 1), style.dim(`  … ${left + 1} more lines`)] : body;
    return [style.yellow(style.bold(cut("? Allow this call?", width))), ...visible, ...foot];
  }

  #choose(typed: string): boolean | void {
    const key = typed.toLowerCase();
    this.#hint = "";
    if (isKey(typed, "escape", "ctrl+c")) return this.#parts.answer("reject");
    if (!this.#keys.some(([each]) => each === key)) {
      this.#hint = `please press ${this.#keys.map(([each]) => each).join(", ")}`;
      return false;
    }
    if (key === "y") this.#parts.answer("once");
    else if (key === "s") this.#parts.answer("session");
    else if (key === "n") this.#step = { at: "word" };
    else if (key === "d") this.#hasDetails = !this.#hasDetails;
    else void this.#offerRule();
  }

  async #offerRule(): Promise<void> {
    this.#step = { at: "rule", rule: undefined };
    let rule: OfferedRule = { because: "no rule was found" };
    try {
      rule = (await this.#question.parts?.rule()) ?? rule;
    } catch (error) {
      rule = { because: messageOf(error) };
    }
    this.#step = { at: "rule", rule };
    this.#parts.redraw();
  }

  #decideRule(key: string, rule: OfferedRule | undefined): void {
    this.#step = { at: "choice" };
    if (key.toLowerCase() !== "y" || rule === undefined || !("write" in rule)) return;
    try {
      rule.write();
      this.#parts.answer("always");
    } catch (error) {
      this.#hint = `nothing was written: ${printable(messageOf(error))}`;
    }
  }
}

type ChoiceKey = readonly [key: string, does: string];

function keysOf({ call, canRemember, parts }: PermissionQuestion, isWhole: boolean): readonly ChoiceKey[] {
  // What cannot be seen whole is approved once at most.
  const lasts = canRemember && isWhole;
  const offered: readonly (readonly [isOffered: boolean, key: string, does: string])[] = [
    [true, "y", "once"],
    [lasts, "s", "this session"],
    [lasts && parts !== undefined && call.name === "bash", "a", "always"],
    [true, "n", "no, with a word"],
    [parts !== undefined, "d", "details"],
  ];
  return offered.flatMap(([isOffered, key, does]) => (isOffered ? [[key, does] as const] : []));
}

interface Layout {
  readonly width: number;
  readonly style: Style;
}

const PLAIN: TextPaint = (text) => text;

function field(name: string, text: string, paint: TextPaint, { width, style }: Layout): readonly string[] {
  const label = name === "" ? "" : style.dim(`${name}: `);
  return `${label}${text
    .split("\n")
    .map((line) => paint(line))
    .join("\n")}`
    .split("\n")
    .flatMap((line) => wrapped(line.replaceAll("\t", "  "), width - 2).map((each) => `  ${each}`));
}

const detailLines = (question: PermissionQuestion, { width, style }: Layout) =>
  (question.parts?.details() ?? "")
    .trimEnd()
    .split("\n")
    .slice(0, MAX_DETAILS)
    .flatMap((line) => wrapped(style.dim(printable(line)), width - 2).map((each) => `  ${each}`));

interface Foot extends Layout {
  readonly hint: string;
  readonly keys: readonly ChoiceKey[];
  readonly word: LineInput;
}

function footOf(step: Step, { width, style, hint, keys, word }: Foot): readonly string[] {
  switch (step.at) {
    case "word":
      return [
        style.dim(cut("  What should it do instead? Enter sends it; nothing ends the turn; esc goes back", width)),
        ...word.render(width),
      ];
    case "rule":
      return step.rule === undefined ? [style.dim("  looking for a rule …")] : ruleLines(step.rule, { width, style });
    case "choice": {
      const choices = keys.map(([key, does]) => `${style.bold(key)} ${does}`).join(style.dim(" · "));
      return [
        ...(hint === "" ? [] : [style.yellow(cut(`  ${hint}`, width))]),
        ...wrapped(choices, width - 2).map((line) => `  ${line}`),
      ];
    }
  }
}

function ruleLines(rule: OfferedRule, { width, style }: Layout): readonly string[] {
  if (!("text" in rule))
    return [
      ...wrapped(style.yellow(`No rule can allow it: ${printableLine(rule.because)}`), width - 2),
      style.dim("any key goes back"),
    ].map((line) => `  ${line}`);
  return [
    style.dim(cut(`This would be written to ${printableLine(rule.file)}:`, width - 2)),
    ...rule.text
      .trimEnd()
      .split("\n")
      .map((line) => diffLine(cut(line, width - 2), style)),
    `${style.bold("y")} write it and allow${style.dim(" · any other key goes back")}`,
  ].map((line) => `  ${line}`);
}

interface LineInput {
  onKey(key: string): void;
  render(width: number): readonly string[];
}

/** One line of text. */
function lineInput(done: (text: string) => void): LineInput {
  const input = new Input({ prompt: "" });
  input.focused = true;
  input.onSubmit = done;
  return {
    onKey: (key) => input.handleInput(key),
    render: (width) => input.render(Math.max(1, width - 4)).map((line) => `  ❯ ${drawnCursorOff(line)}`),
  };
}

// oxlint-disable-next-line no-control-regex -- the codes around the drawn cursor
const drawnCursorOff = (line: string) => line.replace(/\u001b\[7m([^\u001b]*)\u001b\[(?:27|0)m/, "$1").trimEnd();

interface AskedQuestion {
  readonly question: string;
  readonly choices: readonly string[];
}

/** Asks the person a question of the model, and returns the answer. */
export type AskQuestion = (question: AskedQuestion, signal: AbortSignal) => Promise<string>;

/** A question of the model: a number for a choice, or any text; no answer with Esc. */
export function questionDialog({ question, choices }: AskedQuestion, { style, answer }: DialogParts<string>): Dialog {
  const input = lineInput((text) => {
    const chosen = choices[Number(text) - 1];
    if (text.trim() !== "") answer(chosen ?? text.trim());
  });
  return {
    onKey: (key) => (isKey(key, "escape", "ctrl+c") ? answer("") : input.onKey(key)),
    render: (width) => [
      ...wrapped(style.yellow(style.bold(`? ${printable(question)}`)), width),
      ...choices.flatMap((choice, index) => wrapped(`  ${index + 1}. ${printableLine(choice)}`, width)),
      style.dim(cut(choices.length === 0 ? "  Enter answers" : "  a number or your own words, then Enter", width)),
      ...input.render(width),
    ],
  };
}

interface Choice {
  readonly value: string;
  readonly text: string;
}

interface PickerParts extends DialogParts<string | undefined> {
  readonly title: string;
  readonly choices: readonly Choice[];
}

/** A list to choose from; typing narrows it. Undefined when nothing was chosen. */
export function picker({ style, answer, title, choices }: PickerParts): Dialog {
  let query = "";
  let at = 0;
  const matching = () => choices.filter(({ text }) => text.toLowerCase().includes(query.toLowerCase()));
  return {
    onKey(key) {
      if (isKey(key, "escape", "ctrl+c", "ctrl+g")) return answer(undefined);
      if (isKey(key, "enter", "tab")) return answer(matching()[at]?.value);
      if (isKey(key, "down", "ctrl+r", "ctrl+n")) at = Math.min(at + 1, Math.max(0, matching().length - 1));
      else if (isKey(key, "up", "ctrl+s", "ctrl+p")) at = Math.max(0, at - 1);
      else {
        if (isKey(key, "backspace")) query = query.slice(0, -1);
        else if (isTyped(key)) query += key;
        at = 0;
      }
    },
    render(width, height) {
      const found = matching();
      const room = Math.max(1, Math.min(10, height - 3));
      const from = Math.max(0, Math.min(at - room + 1, found.length - room));
      return [
        cut(`${style.cyan(title)} ${printableLine(query)}${CURSOR}`, width),
        ...found.slice(from, from + room).map(({ text }, index) => {
          const line = cut(`${from + index === at ? "❯" : " "} ${printableLine(text)}`, width);
          return from + index === at ? style.cyan(line) : line;
        }),
        style.dim(
          cut(found.length === 0 ? "  nothing found; esc goes back" : "  Enter takes it, esc goes back", width),
        ),
      ];
    },
  };
}

/** A character, and no key with a meaning of its own. */
const isTyped = (key: string): boolean => key.length > 0 && !/\p{Cc}/u.test(key);
