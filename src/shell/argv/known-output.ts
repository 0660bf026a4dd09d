import type { Machine } from "../../contract/machine.ts";
import { isBelow } from "../../lib/path/real-path.ts";
import type { RawWord, ShellCommand, ShellNode, ShellRedirect } from "../model/script.ts";
import type { ShellState } from "../model/shell-state.ts";
import { DIGITS, isKnown, isVariable, MAX_VALUE, plainLine, UNKNOWN, type Word, word } from "../model/word.ts";

/** The context in which a substitution runs. */
export interface OutputPlace {
  readonly state: ShellState;
  readonly workspaceRoot: string;
  readonly machine: Machine;
}

/** A commit that git accepts, but never an option or the name of a hidden file. */
const REVISION = String.raw`[A-Za-z0-9_][\w./~^-]*`;

/** Whole command lines that print only digits or hexadecimal letters, or nothing at all. */
const PRINTS_DIGITS = new RegExp(
  `^(?:${[
    "nproc(?: --all)?",
    "id -[ug]",
    String.raw`stat -c %[sXYZ] [^-\s]\S*`,
    String.raw`expr \d{1,9} [+*/%] \d{1,9}`,
    `git rev-parse (?:--verify(?: --quiet| -q)?|--short(?:=\\d+)?) ${REVISION}`,
    `git merge-base ${REVISION} ${REVISION}`,
    `git rev-list --count ${REVISION}`,
    "wc -[lwcm]",
  ].join("|")})$`,
);

/** Prints a word that is not a commit unchanged. */
const PLAIN_REVISION = new RegExp(`^git rev-parse ${REVISION}$`);

/** Date fields that are digits in every locale, separated at most by a dash, dot or underscore. */
const PRINTS_DATE = /^date (?:-u )?\+%[FYmdHMSsjyuwC](?:[-._]?%[FYmdHMSsjyuwC])*$/;

/**
 * What a substitution prints, without the trailing newlines that the shell drops: computed, of a known alphabet, or one
 * of a few values. Otherwise UNKNOWN, possibly with a guess in `others`.
 */
export function knownOutput(nodes: readonly ShellNode[], place: OutputPlace): Word {
  const [node] = nodes;
  const unknown = word(UNKNOWN);
  if (nodes.length !== 1 || node === undefined) return unknown;
  const last = lastCommand(node);
  if (last === undefined || last.assignments.length > 0) return unknown;
  const texts = last.words.flatMap((raw) => literal(raw) ?? []);
  if (texts.length !== last.words.length) return unknown;
  const line = plainLine(texts);
  if (!last.redirects.every((redirect) => isQuiet(redirect) || /^<{1,3}$/.test(redirect.operator))) return unknown;
  // A command that fails prints nothing.
  if (PRINTS_DIGITS.test(line)) return { ...word(DIGITS), others: [""] };
  if (node.kind !== "command") return unknown;
  const input = node.redirects.filter((redirect) => !isQuiet(redirect));
  if (line === "cat" && input.length === 1 && input[0]?.operator === "<<")
    return word(withoutLineEnds(literal(input[0].target) ?? UNKNOWN));
  return input.length > 0 ? unknown : printedBy(texts, place);
}

function printedBy(texts: readonly string[], place: OutputPlace): Word {
  const line = plainLine(texts);
  if (line === "pwd") return currentFolder(place.state);
  if (PLAIN_REVISION.test(line)) return { ...word(DIGITS), others: [texts[2] ?? "", ""] };
  if (PRINTS_DATE.test(line)) {
    const format = line.replace(/^.*\+/, "").replaceAll("%F", "%Y-%m-%d");
    return { ...word(format.replaceAll(/%./g, DIGITS)), others: [""] };
  }
  if (line === "git rev-parse --show-toplevel") return topLevel(place);
  const [name, ...rest] = texts;
  if (name === "seq") return word(counted(rest) ?? UNKNOWN);
  if (name !== "echo" && name !== "printf") return word(UNKNOWN);
  // Shells expand a tilde in more places than are worth modelling.
  const printed = rest.some((text) => text.includes("~")) ? undefined : printedText(name, rest.map(word));
  if (printed === undefined) return word(UNKNOWN);
  return printed.text === undefined
    ? { ...word(UNKNOWN), others: [withoutLineEnds(printed.likely)] }
    : word(withoutLineEnds(printed.text));
}

/** The current folder, or the folder the shell is still in if a `cd` failed. */
export function currentFolder({ cwd, otherCwds }: ShellState): Word {
  return otherCwds.length === 0 ? word(cwd) : { ...word(cwd), others: otherCwds };
}

/**
 * The folder at or above the workspace that contains `.git`, or a nested repository around the current folder. Nothing
 * is printed if there is none. If the disk is not known, the workspace is assumed.
 */
function topLevel({ workspaceRoot, machine, state }: OutputPlace): Word {
  if (isVariable(state.cwd) || !isBelow(state.cwd, workspaceRoot)) return word(UNKNOWN);
  const top = foldersUpwards(workspaceRoot, "/").find((folder) => machine.kind?.(`${folder}/.git`) !== undefined);
  const others = [...(top === undefined ? [""] : []), ...foldersUpwards(state.cwd, workspaceRoot).slice(0, -1)];
  return { ...word(top ?? workspaceRoot), ...(others.length === 0 ? {} : { others }) };
}

/** A folder and its parents, up to `to`. */
function foldersUpwards(from: string, to: string): readonly string[] {
  const folders = [from];
  for (let folder = from; folder.length > to.length;) {
    folder = folder.slice(0, folder.lastIndexOf("/")) || "/";
    folders.push(folder);
  }
  return folders;
}

const MAX_COUNT = 64;

/** What `seq` prints for ascending integers. */
function counted(texts: readonly string[]): string | undefined {
  if (texts.length === 0 || texts.length > 3 || !texts.every((text) => /^(?:0|[1-9]\d{0,5})$/.test(text)))
    return undefined;
  const numbers = texts.map(Number);
  const from = texts.length === 1 ? 1 : (numbers[0] ?? 1);
  const step = texts.length === 3 ? (numbers[1] ?? 1) : 1;
  const to = numbers.at(-1) ?? 0;
  const count = step === 0 ? 0 : Math.floor((to - from) / step) + 1;
  if (count < 1 || count > MAX_COUNT) return undefined;
  return Array.from({ length: count }, (_, index) => String(from + index * step)).join("\n");
}

/** The command that produces a pipeline's output. */
function lastCommand(node: ShellNode): ShellCommand | undefined {
  if (node.kind === "command") return node;
  const last = node.kind === "pipeline" ? node.nodes.at(-1) : undefined;
  return last?.kind === "command" ? last : undefined;
}

/** Discarding errors does not change the output. */
function isQuiet({ operator, descriptor, target }: ShellRedirect): boolean {
  return operator === ">" && descriptor === 2 && literal(target) === "/dev/null";
}

function withoutLineEnds(text: string): string {
  return text.replace(/\n+$/, "");
}

function literal(raw: RawWord): string | undefined {
  let text = "";
  for (const piece of raw.pieces) {
    if (piece.kind !== "text") return undefined;
    text += piece.text;
  }
  return text;
}

/** What `echo` or `printf` prints. */
interface Printed {
  /** Byte for byte, whichever shell or program prints it; undefined if that is uncertain. */
  readonly text: string | undefined;
  /** What it probably prints: good enough to deny, never to allow. */
  readonly likely: string;
}

/** What `echo` or `printf` prints; undefined if a word is only known at run time. */
export function printedText(name: "echo" | "printf", words: readonly Word[]): Printed | undefined {
  if (!words.every(isKnown)) return undefined;
  const texts = words.map(({ text }) => text);
  const likely = likelyText(name, texts).slice(0, MAX_VALUE);
  const text = name === "echo" ? echoed(texts) : formatted(texts);
  return { text: text !== undefined && text.length <= MAX_VALUE ? text : undefined, likely };
}

/** Shells agree on no option of echo except a single `-n`, and differ in what a backslash means. */
function echoed(texts: readonly string[]): string | undefined {
  const silent = texts[0] === "-n";
  const words = silent ? texts.slice(1) : texts;
  if (words[0]?.startsWith("-") === true || texts.some((text) => text.includes("\\"))) return undefined;
  return words.join(" ") + (silent ? "" : "\n");
}

/** printf reuses its format until all words are consumed. */
function formatted(texts: readonly string[]): string | undefined {
  const [format, ...values] = texts[0] === "--" ? texts.slice(1) : texts;
  if (format === undefined || (format.startsWith("-") && texts[0] !== "--")) return undefined;
  const parts = formatParts(format);
  if (parts === undefined) return undefined;
  const takes = parts.filter((part) => typeof part !== "string").length;
  let text = "";
  let at = 0;
  do {
    for (const part of parts) {
      const piece = typeof part === "string" ? part : converted(part, values[at++]);
      if (piece === undefined || text.length > MAX_VALUE) return undefined;
      text += piece;
    }
  } while (takes > 0 && at < values.length);
  return text;
}

interface Conversion {
  readonly left: boolean;
  readonly zero: boolean;
  readonly width: number;
  readonly precision: number | undefined;
  readonly letter: string;
}

const PART = /%%|%(-?)(0?)(\d{0,3})(?:\.(\d{1,3}))?([sbdic])|\\([nt\\]|[0-7]{3}(?![0-7]))|[^%\\]+/y;

/** Parses a format into texts and conversions; undefined if any part is not known to be portable. */
function formatParts(format: string): readonly (string | Conversion)[] | undefined {
  const parts: (string | Conversion)[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < format.length) {
    const found = PART.exec(format);
    if (found === null) return undefined;
    const [all, left, zero, width, precision, letter, escape] = found;
    if (letter !== undefined)
      parts.push({
        left: left === "-",
        zero: zero === "0",
        width: Number(width),
        precision: precision === undefined ? undefined : Number(precision),
        letter,
      });
    else {
      const text = escape === undefined ? (all === "%%" ? "%" : all) : escaped(escape);
      if (text === undefined) return undefined;
      parts.push(text);
    }
  }
  return parts;
}

function escaped(escape: string): string | undefined {
  if (escape === "n") return "\n";
  if (escape === "t") return "\t";
  if (escape === "\\") return "\\";
  const code = Number.parseInt(escape, 8);
  return code >= 32 && code < 127 ? String.fromCharCode(code) : undefined;
}

function converted(conversion: Conversion, value: string | undefined): string | undefined {
  const { left, zero, width, letter } = conversion;
  const text =
    letter === "d" || letter === "i" ? numeral(conversion, value ?? "0") : characters(conversion, value ?? "");
  return left ? text?.padEnd(width) : text?.padStart(width, zero ? "0" : " ");
}

function numeral({ left, zero, precision }: Conversion, value: string): string | undefined {
  const plain = precision === undefined && !(left && zero) && /^(?:0|[1-9]\d{0,8})$/.test(value);
  return plain ? value : undefined;
}

/** A width or precision counts characters in some shells and bytes in others. */
function characters({ zero, width, precision, letter }: Conversion, value: string): string | undefined {
  const sized = width > 0 || precision !== undefined || letter === "c";
  if (zero || (sized && !/^[ -~\t\n]*$/.test(value))) return undefined;
  if (letter === "c") return value === "" || precision !== undefined ? undefined : value.slice(0, 1);
  if (letter === "b" && (sized || value.includes("\\"))) return undefined;
  return value.slice(0, precision);
}

function likelyText(name: "echo" | "printf", texts: readonly string[]): string {
  const words = texts.filter((text, index) => !(index === 0 && /^-[neE]+$|^--$/.test(text)));
  if (name === "echo") return unescape(words.join(" "));
  const [format = "", ...values] = words;
  let next = 0;
  const fill = () => unescape(format.replace(/%[-0\d.]*[sbdqci]/g, () => unescape(values[next++] ?? "")));
  let text = fill();
  for (let last = 0; last < next && next < values.length && text.length < MAX_VALUE;) {
    last = next;
    text += fill();
  }
  return text;
}

function unescape(text: string): string {
  return text
    .replace(/\\0?([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8) || 32))
    .replace(/\\x([0-9a-fA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16) || 32))
    .replaceAll("\\n", "\n")
    .replaceAll("\\t", "\t");
}
