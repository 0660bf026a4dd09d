import type { Machine } from "../../contract/machine.ts";
import { isBelow } from "../../lib/real-path.ts";
import type { ShellState } from "../model/state.ts";
import { printedText } from "../argv/printed-text.ts";
import type { RawWord, ShellCommand, ShellNode, ShellRedirect } from "../model/script.ts";
import { DIGITS, isVariable, plainLine, UNKNOWN, type Word, word } from "../model/word.ts";

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
