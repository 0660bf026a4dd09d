import { doubt, type Effect } from "../model/effect.ts";
import type { Feed } from "../model/state.ts";
import { type ProgramGrammar, readArguments } from "../programs/options.ts";
import { printedText } from "./printed-text.ts";
import { isKnown, UNKNOWN, type Word, word } from "../model/word.ts";

type Setter = (words: readonly Word[], feed: Feed) => readonly Effect[];

/** Builtins that assign values to the variables they name. */
export const SETTERS: Readonly<Record<string, Setter>> = {
  read: (words, feed) => {
    const { options, operands } = readArguments(READ, words);
    const arrays = options.flatMap(({ name, value }) => (name === "-a" ? (value ?? []) : []));
    const names = arrays.length > 0 ? arrays : operands;
    return [...evaluated(names), ...names.flatMap((name, index) => setTo(name, lineWord(feed, names, index)))];
  },
  mapfile: fillArray,
  readarray: fillArray,
  getopts: (words) => [...evaluated(words), ...(words[1] === undefined ? [] : setTo(words[1], word(UNKNOWN)))],
  wait: (words) => {
    const { options } = readArguments(WAIT, words);
    const names = options.flatMap(({ name, value }) => (name === "-p" ? (value ?? []) : []));
    return [...evaluated(words), ...names.flatMap((name) => setTo(name, word(UNKNOWN)))];
  },
  printf: (words) => {
    const [first] = words;
    if (first === undefined) return [];
    // A format only known at run time may be the option.
    if (!isKnown(first) && /^[\u0000-]/.test(first.text)) return setTo(word(UNKNOWN), word(UNKNOWN));
    const { options, operands } = readArguments(PRINTF, words);
    const [name] = options.flatMap(({ value }) => value ?? []);
    if (name === undefined) return options.length === 0 ? [] : setTo(word(UNKNOWN), word(UNKNOWN));
    return [...evaluated([name]), ...setTo(name, printedValue(operands))];
  },
};

const READ = grammar("-ers -a: -d: -i: -n: -N: -p: -t: -u:");
const WAIT = grammar("-fn -p:");
const PRINTF = grammar("-v:");
const MAPFILE = grammar("-t -d: -n: -O: -s: -u: -C: -c:");

function grammar(options: string): ProgramGrammar {
  return { options, operands: ":", style: "first" };
}

function setTo(name: Word, value: Word): readonly Effect[] {
  return [{ kind: "assign", name, value, exported: false }];
}

function fillArray(words: readonly Word[]): readonly Effect[] {
  const { operands } = readArguments(MAPFILE, words);
  const [name = word("MAPFILE")] = operands;
  return [doubt("runs-program", "can run a command for each line"), ...setTo(name, word(UNKNOWN))];
}

/** What `read` may assign to a name. Only a guess, because shells split the line differently. */
function lineWord(feed: Feed, names: readonly Word[], index: number): Word {
  if (feed.kind !== "text") return word(UNKNOWN);
  const line = (feed.text.split("\n")[0] ?? "").trim();
  const parts = line.split(/[ \t]+/);
  return {
    ...word(UNKNOWN),
    others: [(index === names.length - 1 ? parts.slice(index).join(" ") : parts[index]) ?? ""],
  };
}

function printedValue(words: readonly Word[]): Word {
  const printed = printedText("printf", words);
  if (printed === undefined) return word(UNKNOWN);
  return printed.text === undefined ? { ...word(UNKNOWN), others: [printed.likely] } : word(printed.text);
}

/** A builtin that takes names evaluates subscripts and quoted substitutions in them as code. */
function evaluated(words: readonly Word[]): readonly Effect[] {
  return words.some(({ text }) => text.includes("[") || RUNS_AGAIN.test(text)) ? [EVALUATED] : [];
}

const RUNS_AGAIN = /`|\$\(|[<>]\(|\$\{/;
const EVALUATED = doubt("subscript", "the shell evaluates this word again, as code");

/** `export`, `declare` and similar: each word is a name, or a name with a value. */
export function declaring(words: readonly Word[], exports: boolean): readonly Effect[] {
  const has = (letters: RegExp) => words.some(({ text }) => letters.test(text));
  const names = words.filter(({ text }) => !text.startsWith("-"));
  if (names.length === 0 || has(/^-\w*[pfF]/)) return [doubt("secret-environment", "shows variables")];
  if (has(/^-\w*[in]/)) return [doubt("subscript", "makes the shell evaluate values as code")];
  if (has(RUNS_AGAIN)) return [EVALUATED];
  const exported = exports || has(/^-\w*x/);
  return names.map((item): Effect => {
    const equals = item.text.indexOf("=");
    const appends = item.text[equals - 1] === "+";
    const name = word(equals === -1 ? item.text : item.text.slice(0, appends ? equals - 1 : equals));
    if (equals === -1) return { kind: "assign", name, value: undefined, exported };
    const others = item.others?.map((other) => other.slice(other.indexOf("=") + 1));
    const value = { text: item.text.slice(equals + 1), glob: item.glob, ...(others === undefined ? {} : { others }) };
    return { kind: "assign", name, value: appends ? word(UNKNOWN) : value, exported };
  });
}

/** True for a builtin whose words are assignments; the shell does not split their values. */
export function declares(name: string): boolean {
  return /^(?:export|declare|typeset|local|readonly)$/.test(name);
}
