import type { RunningShell } from "../../contract/agent-call.ts";
import { declares } from "../argv/builtins.ts";
import { currentFolder, knownOutput, type OutputPlace } from "../argv/known-output.ts";
import type { RawWord, ShellNode, WordPiece } from "../model/script.ts";
import { isHarmlessVariable } from "../model/shell-state.ts";
import {
  DIGITS,
  isVariable,
  MAX_VALUE,
  SPLIT,
  splitText,
  UNKNOWN,
  UNKNOWN_WORD,
  type Word,
  word,
} from "../model/word.ts";

const MAX_WORDS = 64;

const MAX_OTHERS = 6;

/** The context for expanding a word: the shell's state, and the callbacks for what is found. */
export interface ExpandPlace extends OutputPlace {
  readonly home: string;
  /** The shell that runs the current script. */
  readonly shell: RunningShell;
  /** Examines the commands of a substitution, which run during expansion. */
  readonly examine: (nodes: readonly ShellNode[]) => void;
  /** Asks about a value only known at run time. */
  readonly ask: (code: string, because: string, fragment: string) => void;
}

interface Growing extends Word {
  readonly open: boolean;
}

/**
 * The words that the shell would expand a word to, as far as they are known. Also examines the substitutions inside.
 */
export function expand(raw: RawWord, place: ExpandPlace): readonly Word[] {
  const [only] = raw.pieces;
  if (raw.pieces.length === 1 && only?.kind === "text" && (only.quoted || !only.text.startsWith("~")))
    return [{ text: only.text, glob: false }];
  const words = grow(raw, place).flatMap(splitWord);
  // The shell drops what braces leave empty: `{,rm}` is `rm`.
  return raw.pieces.every(({ kind }) => kind === "braces") ? words.filter(({ text }) => text !== "") : words;
}

/** The words of a command. After a builtin that declares variables, an assignment stays one word. */
export function expandWords(raw: readonly RawWord[], place: ExpandPlace): readonly Word[] {
  const words: Word[] = [];
  for (const each of raw) {
    const [first] = each.pieces;
    const assigns = first?.kind === "text" && /^[A-Za-z_]\w*\+?=/.test(first.text);
    if (assigns && words.some(({ text }) => declares(text))) words.push(expandOne(each, place));
    else words.push(...expand(each, place));
  }
  return words;
}

/** The single word of an assignment or here-string, which the shell neither splits nor globs. */
export function expandOne(raw: RawWord, place: ExpandPlace): Word {
  const quoted = raw.pieces.map((piece) =>
    piece.kind === "variable" || piece.kind === "default" || piece.kind === "script"
      ? { ...piece, quoted: true }
      : piece,
  );
  const words = grow({ pieces: quoted }, place);
  const [only] = words;
  if (words.length === 1 && only !== undefined) return { ...only, open: false };
  return { text: words.map(({ text }) => text).join(" "), glob: words.some(({ glob }) => glob) };
}

/** The target of a redirection. A shell rejects several words there. */
export function expandTarget(raw: RawWord, place: ExpandPlace): Word {
  const words = expand(raw, place);
  return words.length === 1 ? (words[0] ?? UNKNOWN_WORD) : UNKNOWN_WORD;
}

function grow(raw: RawWord, place: ExpandPlace): readonly Growing[] {
  let words: readonly Growing[] = [plain("")];
  raw.pieces.forEach((piece, index) => {
    const values = pieceValues(piece, index === 0, place);
    words =
      words.length * values.length > MAX_WORDS
        ? [{ ...plain(UNKNOWN), open: true }]
        : words.flatMap((before) => values.map((value) => joined(before, value)));
  });
  return words.some(({ text }) => text.length > MAX_VALUE) && raw.pieces.length > 1 ? [plain(UNKNOWN)] : words;
}

function joined(before: Growing, value: Growing): Growing {
  const text = before.text + value.text;
  const both = { text, glob: before.glob || value.glob, open: before.open || value.open };
  if (before.others === undefined && value.others === undefined) return both;
  const all = choices(before).flatMap((start) => choices(value).map((end) => start + end));
  const others = [...new Set(all)].filter((other) => other !== text);
  // No possible value may be dropped silently.
  return others.length <= MAX_OTHERS
    ? { ...both, others }
    : { ...both, text: UNKNOWN, open: true, others: others.slice(-MAX_OTHERS) };
}

function choices({ text, others }: Growing): readonly string[] {
  if (others === undefined) return [text];
  return text.includes(UNKNOWN) ? others : [text, ...others];
}

function splitWord({ text, ...rest }: Growing): readonly Word[] {
  return splitText(text).map((part, index) =>
    index === 0 ? { text: part, ...rest } : { text: part, glob: rest.glob },
  );
}

function pieceValues(piece: WordPiece, first: boolean, place: ExpandPlace): readonly Growing[] {
  switch (piece.kind) {
    case "text":
      return [plain(first && !piece.quoted ? expandTilde(piece.text, place) : piece.text)];
    case "glob":
      return [{ ...plain(piece.text), glob: true }];
    case "number":
      return [plain(DIGITS)];
    case "braces":
      return expandBraces(piece.text)?.map(plain) ?? [{ ...plain(UNKNOWN), open: true }];
    case "variable":
      return [valueOf(variableValue(piece.name, piece.quoted, place), piece.quoted)];
    case "default":
      return [valueOf(valueOrDefault(piece, place), piece.quoted)];
    case "script": {
      place.examine(piece.nodes);
      // The shell passes the process as a descriptor, which its receiver can open.
      return [piece.process ? plain("/dev/stdin") : valueOf(knownOutput(piece.nodes, place), piece.quoted)];
    }
    case "unknown":
      place.examine(piece.nodes);
      place.ask("value-unknown", `${piece.because} is only known at run time`, piece.because);
      return [{ ...valueOf(UNKNOWN_WORD, false), ...(piece.likely === undefined ? {} : { others: piece.likely }) }];
  }
}

function plain(text: string): Growing {
  return { text, glob: false, open: false };
}

/** A value at its point of use: if unquoted, the shell splits it at blanks and expands its wildcards. */
function valueOf({ text, glob, others }: Word, quoted: boolean): Growing {
  const split = (value: string) => (quoted ? value : value === "" ? SPLIT : value.replace(/[ \t\n]+/g, SPLIT));
  return {
    text: split(text),
    glob: glob || (!quoted && /[*?[]/.test(text)),
    open: !quoted && text.includes(UNKNOWN),
    ...(others === undefined ? {} : { others: others.map(split) }),
  };
}

function expandTilde(text: string, { home }: ExpandPlace): string {
  if (text === "~" || text.startsWith("~/")) return home + text.slice(1);
  return text.startsWith("~") ? UNKNOWN + text : text;
}

function valueOrDefault(
  { name, operator, text, quoted }: Extract<WordPiece, { kind: "default" }>,
  place: ExpandPlace,
): Word {
  const value = variableValue(name, quoted, place);
  if (value.others === undefined && !isVariable(value.text)) {
    if (value.text !== "") return value;
    if (operator === ":-") return word(text);
  }
  return { ...value, others: [...new Set([...(value.others ?? []), text])] };
}

function variableValue(name: string, quoted: boolean, place: ExpandPlace): Word {
  const value = place.state.variables.get(name) ?? environmentValue(name, place);
  if (value !== undefined && !quoted && place.shell === "any" && /[\s*?[]/.test(value.text))
    place.ask(
      "shell-differs",
      `bash splits $${name} into several words and zsh does not, and it is not certain that bash runs this`,
      `$${name}`,
    );
  if (value !== undefined) return value;
  if (!isHarmlessVariable(name)) {
    const secret = /key|token|secret|passw|credential|auth|cookie|session|private/i.test(name);
    place.ask(
      secret ? "secret-variable" : "value-unknown",
      `the value of $${name} is only known at run time${secret ? ", and its name suggests a secret" : ""}`,
      `$${name}`,
    );
  }
  return UNKNOWN_WORD;
}

function environmentValue(name: string, { home, state }: ExpandPlace): Word | undefined {
  if (name === "HOME") return word(home);
  if (name === "PWD") return currentFolder(state);
  return name === "IFS" ? word(" ") : undefined;
}

const MAX_ITEMS = 64;

/** Expands `{a,b}` and `{1..5}`; undefined if there are too many results or the braces are not simple. */
export function expandBraces(text: string): readonly string[] | undefined {
  // A leading zero means padding.
  const range = /^\{(0|-?[1-9]\d{0,3})\.\.(0|-?[1-9]\d{0,3})\}$/.exec(text);
  if (range !== null) {
    const [from, to] = [Number(range[1]), Number(range[2])];
    const count = Math.abs(to - from) + 1;
    return count > MAX_ITEMS
      ? undefined
      : Array.from({ length: count }, (_, index) => String(from + (to >= from ? index : -index)));
  }
  if (!/^\{[^{}'"\\$`]*\}$/.test(text)) return undefined;
  const items = text.slice(1, -1).split(",");
  return items.length > MAX_ITEMS || items.length < 2 ? undefined : items;
}
