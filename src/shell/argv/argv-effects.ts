import type { RunningShell } from "../../contract/agent-call.ts";
import { runningShell } from "../../lib/running-shell.ts";
import { doubt, type Effect } from "../model/effect.ts";
import type { Feed } from "../model/state.ts";
import { isKnown, isVariable, plainLine, splitText, UNKNOWN, type Word, word } from "../model/word.ts";
import { gitEffects } from "../programs/git-program.ts";
import { listedFiles } from "../programs/listed-files.ts";
import { effectsOf, isActive, readArguments } from "../programs/options.ts";
import { outsideEffects } from "../programs/outside.ts";
import { knownProgram } from "../programs/program-tables.ts";
import { builtinEffects } from "./builtins.ts";
import { canonicalise } from "./canonical-argv.ts";
import { delegated } from "./delegates.ts";
import { inputEffects, isShell, shellEffects } from "./interpreters.ts";
import { otherShellEffects } from "./other-shells.ts";
import { printedText } from "./printed-text.ts";
import { programName } from "./program-name.ts";
import { declares } from "./setters.ts";
import { unwrap } from "./wrappers.ts";
import { xargsEffects } from "./xargs.ts";

/** The forms in which rules may name an argv. */
export interface ArgvForms {
  /** The program's name as rules spell it: without a path if it is in a system folder. */
  readonly program: string;
  /** As written. */
  readonly raw: readonly Word[];
  /** Without options before the subcommand that are irrelevant to the rules. */
  readonly canonical: readonly Word[];
}

/** What an argv would do. */
export interface ArgvEffects {
  readonly forms: ArgvForms;
  readonly effects: readonly Effect[];
  /** A rule must allow it; otherwise the effects alone decide. */
  readonly needsRule: boolean;
  /** A change of folder persists after the command. */
  readonly keepsState: boolean;
  /** In a sandbox: what the program needs from outside. */
  readonly outside?: () => readonly Effect[];
}

interface ArgvPlace {
  readonly feed: Feed;
  readonly shell: RunningShell;
  /** The script itself may have created files whose names xargs would split. */
  readonly hasOddNames: () => boolean;
}

/** What the shell would do with these words: run a program that the tables know, or execute a builtin. */
export function argvEffects(words: readonly [Word, ...Word[]], place: ArgvPlace): ArgvEffects {
  const [first, ...rest] = words;
  const { name, program, effects } = programName(first.text);
  const plan = planArgv({ name, program, words, rest }, place);
  return { ...plan, effects: [...effects, ...otherShellEffects(name, rest, place.shell), ...plan.effects] };
}

interface Named {
  readonly name: string;
  readonly program: string;
  readonly words: readonly Word[];
  readonly rest: readonly Word[];
}

function planArgv({ name, program, words, rest }: Named, place: ArgvPlace): ArgvEffects {
  const { feed } = place;
  const forms = { program, raw: words, canonical: words };
  const transparent = { forms, needsRule: false, keepsState: false };
  const wrapped = name === "xargs" ? xargsEffects(rest, namesFed(rest, place)) : unwrap(name, rest, feed);
  // `command` and `builtin` run in the shell itself, so a change of folder or variable persists.
  if (wrapped !== undefined)
    return { ...transparent, effects: readBy("any", wrapped), keepsState: name === "command" || name === "builtin" };
  if (isShell(name)) {
    const effects = readBy(runningShell(name), shellEffects(rest, feed));
    return { ...transparent, effects, needsRule: !effects.some((effect) => effect.kind === "script" && effect.sure) };
  }
  if (name === "su") return { ...transparent, effects: suEffects(rest), needsRule: true };
  const builtin = builtinEffects(name, rest, feed);
  if (builtin !== undefined) return { forms, effects: builtin.effects, needsRule: !builtin.inert, keepsState: true };
  const canonical = canonicalise(program, words);
  return {
    forms: { ...forms, canonical: canonical.words },
    effects: readBy("any", [...canonical.effects, ...tableEffects(name, program, { words: canonical.words, feed })]),
    outside: () => outsideEffects(name, canonical.words),
    needsRule: true,
    keepsState: false,
  };
}

/**
 * Without `-0`, xargs splits a name at blanks and removes its quotes, so a name that the script created may become any
 * name.
 */
function namesFed(rest: readonly Word[], { feed, hasOddNames }: ArgvPlace): Feed {
  const whole = rest.some(({ text }) => text === "-0" || text === "--null");
  return feed.kind === "files" && !whole && hasOddNames() ? { kind: "unknown" } : feed;
}

/**
 * Sets the shell that reads these scripts. A program that takes a script may start any shell: sh, or the user's own.
 */
const readBy = (shell: RunningShell, effects: readonly Effect[]): readonly Effect[] =>
  effects.map((effect) => (effect.kind === "script" ? { shell, ...effect } : effect));

function suEffects(rest: readonly Word[]): readonly Effect[] {
  const at = rest.findIndex(({ text }) => text === "-c" || text === "--command");
  const script = rest[at + 1];
  return [
    doubt("escalates", "runs with different privileges", "deny"),
    ...(at === -1 || script === undefined ? [] : [{ kind: "script", word: script, sure: false } as const]),
  ];
}

/** What the tables know about the program, or the tool that it starts. */
function tableEffects(
  name: string,
  program: string,
  { words, feed }: { readonly words: readonly Word[]; readonly feed: Feed },
): readonly Effect[] {
  const tool = delegated(name, words);
  if (tool !== undefined)
    return [
      ...tool.effects,
      ...(tool.words.length === 0 ? [] : programEffects(tool.words[0]?.text ?? "", tool.words, feed)),
    ];
  return programEffects(program.includes("/") && knownProgram([program]) !== undefined ? program : name, words, feed);
}

const UNLISTED = { options: "", operands: "~", open: true };

function programEffects(name: string, words: readonly Word[], feed: Feed): readonly Effect[] {
  const found = knownProgram([name, ...words.slice(1).map(({ text }) => text)]);
  const feeds = feed.kind === "none" ? [] : interpreterInput(name, words);
  if (found === undefined) {
    const given = readArguments(UNLISTED, words.slice(1));
    return [
      ...effectsOf(UNLISTED, given).map((effect) => (effect.kind === "guess" ? { ...effect, writes: true } : effect)),
      ...feeds,
    ];
  }
  const { program, depth } = found;
  const rest = words.slice(depth);
  const open = rest.some((item) => item.open === true) ? [SEVERAL] : [];
  if (program.whole !== undefined) return [...program.whole(rest), ...open];
  const given = readArguments(program, rest);
  const subcommand = words[1]?.text ?? "";
  const repository = name === "git" ? gitEffects(subcommand, given) : [];
  return [
    ...repository,
    ...effectsOf(program, given),
    ...(program.more?.(given, rest) ?? []),
    ...feeds,
    ...(isActive(program) ? open : []),
  ];
}

const SEVERAL = doubt(
  "operand-unknown",
  "an unquoted value known only at run time may expand to options or several words",
);

/** Interpreters that read a program from standard input if they get no file. */
function interpreterInput(name: string, words: readonly Word[]): readonly Effect[] {
  return /^(?:python[\d.]*|node|perl|ruby|php|lua|deno|bun)$/.test(name) && words.length === 1
    ? inputEffects({ kind: "unknown" })
    : [];
}

/**
 * The argv, followed by its variants with the other values its words may have, and by the one in which unquoted values
 * turn out to be empty: `$X sudo` is `sudo`.
 */
export function possibleArgvs(words: readonly Word[]): readonly (readonly Word[])[] {
  const most = words.reduce((count, { others }) => Math.max(count, others?.length ?? 0), 0);
  const fewer = words.some(mayVanish) ? withoutVanished(words) : [];
  if (most === 0 || declares(words[0]?.text ?? "")) return [words, ...fewer];
  const others = Array.from({ length: most }, (_, index) => words.flatMap((item) => otherWords(item, index)));
  return [words.map(withoutOthers), ...others, ...fewer];
}

const mayVanish = ({ open, text }: Word) => open === true && text === UNKNOWN;

function withoutVanished(words: readonly Word[]): readonly (readonly Word[])[] {
  const kept = words.filter((item) => !mayVanish(item));
  return kept.length === 0 ? [] : [kept.map(withoutOthers)];
}

function withoutOthers({ text, glob, open }: Word): Word {
  return open === undefined ? { text, glob } : { text, glob, open };
}

function otherWords(item: Word, index: number): readonly Word[] {
  const other = item.others?.[index % item.others.length];
  return other === undefined ? [withoutOthers(item)] : splitText(other).map((text) => ({ text, glob: item.glob }));
}

/** Programs that pass whole lines through and read nothing else, with the options for which this holds. */
const PASSES_LINES: Readonly<Record<string, RegExp>> = {
  sort: /^(?:-[bdfghiMnRrVsu]+)?$/,
  uniq: /^(?:-[diu]+)?$/,
  tac: /^$/,
  shuf: /^(?:-n ?\d+)?$/,
  head: /^(?:-(?:n ?)?\d+)?$/,
  tail: /^(?:-(?:n ?)?\d+)?$/,
  grep: /^(?:-[EFGPvivwx]+ )*[^-\s]\S*$/,
  egrep: /^(?:-[vivwx]+ )*[^-\s]\S*$/,
};

/** What a command with this argv writes to the next one in a pipeline. */
export function feedFrom(argv: readonly Word[], feed: Feed): Feed {
  const [first = word(""), ...rest] = argv;
  const { program } = programName(first.text);
  if (program === "echo" || program === "printf") return printedFeed(program, rest);
  if (program === "cat" && rest.length === 0) return feed;
  const filter = Object.hasOwn(PASSES_LINES, program) ? PASSES_LINES[program] : undefined;
  if (filter !== undefined && passesLines(filter, rest)) return feed.kind === "files" ? feed : { kind: "unknown" };
  const files = listedFiles(program, rest);
  return files === undefined ? { kind: "unknown" } : { kind: "files", files };
}

/** An unknown word or a pattern may expand to files to read, and their lines are not file names. */
function passesLines(filter: RegExp, words: readonly Word[]): boolean {
  const line = plainLine(words.map(({ text }) => text));
  return (words.length === 0 || line !== "") && words.every(isKnown) && filter.test(line);
}

function printedFeed(program: "echo" | "printf", words: readonly Word[]): Feed {
  const names = words.filter(({ text }) => text !== "-n");
  if (program === "echo" && words.some(({ glob }) => glob) && !names.some(({ text }) => /^-|[\s'"\\]/.test(text)))
    return names.some(({ text }) => isVariable(text)) ? { kind: "unknown" } : { kind: "files", files: names };
  const printed = printedText(program, words);
  if (printed === undefined) return { kind: "unknown" };
  return { kind: "text", text: printed.text ?? printed.likely, sure: printed.text !== undefined };
}
