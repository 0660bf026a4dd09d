import { differenceText, matters, type ShellDifference } from "../model/shell-difference.ts";
import type { RunningShell } from "../../contract/agent-call.ts";
import { doubt, type Effect } from "../model/effect.ts";
import { UNKNOWN, type Word } from "../model/word.ts";
import { isCommandOfZsh, isSpecialInZsh } from "../model/zsh-names.ts";

/** Doubts about an argv that shells other than bash would execute differently. */
export function otherShellEffects(name: string, words: readonly Word[], shell: RunningShell): readonly Effect[] {
  if (shell === "bash") return [];
  const texts = words.map(({ text }) => text);
  return [...wordDifferences(name, texts), ...builtinDifferences(name, texts)]
    .filter((difference) => matters(difference, shell))
    .map((difference) => doubt("shell-differs", differenceText(difference, shell)));
}

const zsh = (what: string): ShellDifference => ({ in: "zsh", what });

function wordDifferences(name: string, texts: readonly string[]): readonly ShellDifference[] {
  if (isCommandOfZsh(name)) return [zsh(`the word ${name}`)];
  // Zsh evaluates arguments of many builtins as numbers, and a subscript in them as code.
  const computed = name !== "echo" && EVALUATING.test(name) && texts.some((text) => /\[.*(?:\$[({]|`)/s.test(text));
  return computed ? [zsh(`a subscript given to ${name}`)] : [];
}

const EVALUATING =
  /^(?:\.|:|\[|bg|break|cd|continue|declare|dirs|disown|enable|exit|export|fg|getopts|hash|history|jobs|kill|local|logout|popd|printf|pushd|pwd|read|readonly|return|set|shift|source|suspend|test|trap|type|typeset|ulimit|umask|unalias|unset|wait)$/;

type Differences = (texts: readonly string[]) => readonly ShellDifference[];

const isNumber = (text: string) => /^[-+]?\d*$/.test(text);

const numbers =
  (name: string): Differences =>
  (texts) =>
    texts.every(isNumber) ? [] : [zsh(`what ${name} computes`)];

/** Names that are assigned a value. */
const named: Differences = (texts) =>
  texts.flatMap((text) => {
    const [name = "", value = ""] = text.split(/\+?=(.*)/s);
    return [
      ...(isSpecialInZsh(name) || text.startsWith(UNKNOWN) ? [zsh(`the variable ${name.replace(UNKNOWN, "…")}`)] : []),
      ...(/^=.|:=/.test(value) ? [zsh("the value of this assignment")] : []),
    ];
  });

const BUILTINS: Readonly<Record<string, Differences>> = {
  exit: numbers("exit"),
  logout: numbers("logout"),
  return: numbers("return"),
  break: numbers("break"),
  continue: numbers("continue"),
  shift: numbers("shift"),
  printf: printed,
  test: tested,
  "[": tested,
  read: named,
  export: named,
  declare: named,
  typeset: named,
  local: named,
  readonly: named,
  getopts: named,
  mapfile: named,
  readarray: named,
  wait: named,
  unset: named,
  // In zsh `-f` is a different option, and `-A` fills a variable.
  set: (texts) =>
    texts.every((text) => /^[-+][euvxa]*o?$|^--$|^(?:pipefail|errexit|nounset|xtrace|verbose|allexport)$/.test(text))
      ? []
      : [zsh("these options of set")],
  cd: folders,
  pushd: folders,
  // Other shells interpret escapes by default.
  echo: (texts) => (texts.some((text) => text.includes("\\")) ? [{ in: "both", what: "a backslash in echo" }] : []),
};

function builtinDifferences(name: string, texts: readonly string[]): readonly ShellDifference[] {
  return Object.hasOwn(BUILTINS, name) ? (BUILTINS[name]?.(texts) ?? []) : [];
}

/** Conversions that print text unchanged. */
const TEXT_FORMAT = /^(?:[^%]|%%|%-?\d*(?:\.\d+)?[sbqc])*$/;

function printed(texts: readonly string[]): readonly ShellDifference[] {
  const options = texts[0] === "-v" ? texts.slice(0, 2) : [];
  const [format = "", ...values] = texts.slice(options.length).filter((text, index) => index > 0 || text !== "--");
  const plain = !format.includes(UNKNOWN) && (TEXT_FORMAT.test(format) || values.every(isNumber));
  return [...named(options.slice(1)), ...(plain ? [] : [zsh("a number in printf")])];
}

function tested(texts: readonly string[]): readonly ShellDifference[] {
  const terminals = texts.filter((_, index) => texts[index - 1] === "-t");
  return [
    ...(terminals.every((text) => isNumber(text) || text === "]") ? [] : [zsh("what -t computes")]),
    ...(texts.includes("-v") ? [zsh("a test of a variable")] : []),
  ];
}

function folders(texts: readonly string[]): readonly ShellDifference[] {
  const operands = texts.filter((text) => !/^-[LPe@]+$|^--$/.test(text));
  if (operands.length > 1) return [{ in: "both", what: "a second folder" }];
  return /^[-+]\d/.test(operands[0] ?? "") ? [zsh("a numbered folder")] : [];
}
