import { doubt, type Effect, question } from "../model/effect.ts";
import { UNKNOWN, type Word, word } from "../model/word.ts";

/**
 * How a program parses its arguments. `options` is a list of words. `-abc` are flags. A final character says what the
 * option takes: `:` plain text, `<` a path it reads, `>` a path it writes, `/` a folder it works in, `@` a host, `!` a
 * program it runs, `^` a file or folder whose code it runs, `~` text that may be a path, `=` text only if attached, `?`
 * nothing, but it needs approval, `&` text, and it needs approval. `-#` accepts numbers like `-10`, `-D*` anything that
 * starts with `-D`.
 * `operands` has one letter per operand, the last one for all that follow: `:` `<` `>` `@` as above, `x` is deleted,
 * `e` is deleted if it is empty, `o` is overwritten, `~` may be a path, `C` is copied to the last one, `M` is moved to it, `!` is run, `?` needs approval.
 */
export interface ProgramGrammar {
  readonly options: string;
  readonly operands: string;
  /** `long`: names with one dash are whole words. `first`: options end at the first operand. */
  readonly style?: "long" | "first";
  /**
   * How unlisted options are treated. `true`: accepted unless they look like running or loading something. `asks`: the
   * same, but they need approval unless a user's own rule names the command. If omitted, they need approval.
   */
  readonly open?: boolean | "asks";
  /** What its short options that need approval do: "the option -p loads a plug-in". */
  readonly reasons?: ReadonlyMap<string, string>;
}

export interface Arguments {
  readonly options: readonly { readonly name: string; readonly kind: string; readonly value: Word | undefined }[];
  readonly operands: readonly Word[];
  readonly strange: readonly Word[];
  /** Operands that may turn out to be options. */
  readonly unsure: readonly Word[];
}

interface Compiled {
  readonly kinds: ReadonlyMap<string, string>;
  readonly names: readonly string[];
  readonly numbers: boolean;
  readonly prefixes: readonly string[];
}

// Keyed by the list itself: a key built for each call would be hashed each time, and lists are long.
const COMPILED = { long: new Map<string, Compiled>(), short: new Map<string, Compiled>() };

const KINDS = ":<>/@!=?&~^";

function compile(options: string, long: boolean): Compiled {
  const compiled = long ? COMPILED.long : COMPILED.short;
  const known = compiled.get(options);
  if (known !== undefined) return known;
  const kinds = new Map<string, string>();
  const items = options.split(/\s+/).filter((text) => text !== "");
  const prefixes = items.filter((item) => item.endsWith("*")).map((item) => item.slice(0, -1));
  for (const item of items.filter((text) => !text.endsWith("*"))) {
    const last = item.at(-1) ?? "";
    const kind = KINDS.includes(last) ? last : "";
    const name = kind === "" ? item : item.slice(0, -1);
    if (name.startsWith("--") || long) kinds.set(name, kind);
    else for (const letter of name.slice(1)) kinds.set(`-${letter}`, kind);
  }
  const names = [...kinds.keys()].filter((name) => name.startsWith("--"));
  const made = { kinds, names, prefixes, numbers: kinds.has("-#") };
  compiled.set(options, made);
  return made;
}

const TAKES_VALUE = new Set([":", "<", ">", "/", "@", "!", "&", "~", "^"]);

/** Sorts the words after the program into options and operands. Anything that matches neither is `strange`. */
export function readArguments(grammar: ProgramGrammar, words: readonly Word[]): Arguments {
  const compiled = compile(grammar.options, grammar.style === "long");
  const reading: Reading = {
    compiled,
    words,
    at: 0,
    open: grammar.open !== undefined && grammar.open !== false,
    options: [],
    operands: [],
    strange: [],
    unsure: [],
  };
  while (reading.at < words.length) {
    const current = words[reading.at++] ?? word("");
    const { text } = current;
    if (text === "--") {
      reading.operands.push(...words.slice(reading.at));
      break;
    }
    if (!text.startsWith("-") || text === "-") {
      reading.operands.push(current);
      if (text.startsWith(UNKNOWN)) reading.unsure.push(current);
      if (grammar.style !== "first") continue;
      reading.operands.push(...words.slice(reading.at));
      break;
    }
    if (compiled.numbers && /^-[\d\u000e]+$/.test(text)) continue;
    const prefix = listedPrefix(compiled, text);
    if (prefix !== undefined)
      reading.options.push({ name: prefix, kind: "", value: { ...current, text: text.slice(prefix.length) } });
    else if (text.startsWith("--") || grammar.style === "long") readLong(reading, current);
    else readCluster(reading, current);
  }
  return reading;
}

/** The `-D` of `-Dname=value`, if the list has `-D*` and nothing more specific. */
function listedPrefix({ prefixes, kinds }: Compiled, text: string): string | undefined {
  if (prefixes.length === 0 || kinds.has(text.split("=", 1)[0] ?? "") || text.includes(UNKNOWN)) return undefined;
  return prefixes.find((start) => text.startsWith(start));
}

interface Reading {
  readonly compiled: Compiled;
  readonly words: readonly Word[];
  at: number;
  readonly open: boolean;
  readonly options: { name: string; kind: string; value: Word | undefined }[];
  readonly operands: Word[];
  readonly strange: Word[];
  readonly unsure: Word[];
}

function readLong(reading: Reading, current: Word): void {
  const equals = current.text.indexOf("=");
  const given = equals === -1 ? current.text : current.text.slice(0, equals);
  const attached = equals === -1 ? undefined : { ...current, text: current.text.slice(equals + 1) };
  const name = reading.compiled.kinds.has(given) ? given : (abbreviated(reading, given) ?? given);
  const kind = reading.compiled.kinds.get(name);
  if (kind === undefined) reading.strange.push(current);
  else if (attached !== undefined || !TAKES_VALUE.has(kind)) reading.options.push({ name, kind, value: attached });
  else reading.options.push({ name, kind, value: reading.words[reading.at++] });
}

/** Programs accept abbreviated long options. Only those that could mean an option with effects are resolved. */
function abbreviated({ compiled, open }: Reading, given: string): string | undefined {
  if (given.length < (open ? 7 : 4)) return undefined;
  return compiled.names.find((name) => name.startsWith(given) && "<>/@!?&^".includes(compiled.kinds.get(name) || " "));
}

function readCluster(reading: Reading, current: Word): void {
  const { text } = current;
  for (let index = 1; index < text.length; index++) {
    const name = `-${text[index]}`;
    const kind = reading.compiled.kinds.get(name);
    if (kind === undefined) {
      if (!reading.strange.includes(current)) reading.strange.push(current);
      if (reading.open) continue;
      return;
    }
    if (kind === "=" || TAKES_VALUE.has(kind)) {
      const rest = text.slice(index + 1);
      const attached = rest === "" ? undefined : { ...current, text: rest };
      const value = attached ?? (kind === "=" ? undefined : reading.words[reading.at++]);
      reading.options.push({ name, kind, value });
      return;
    }
    reading.options.push({ name, kind, value: undefined });
  }
}

const ACTIVE_WORDS = new Set(
  (
    "exec cmd command shell program pager editor hook hooks plugin plugins preload require import loader script scripts eval helper " +
    "wrapper proxy upload receive browser attach daemon runner launch launcher invoke agent javaagent"
  ).split(" "),
);

/** True for a name containing a word for running or loading something: `--exec-path`, `--testRunner`. */
function looksActive(name: string): boolean {
  return name
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => ACTIVE_WORDS.has(word));
}

/** The effects of a program's options and operands. */
export function effectsOf(grammar: ProgramGrammar, given: Arguments): readonly Effect[] {
  return [
    ...given.options.flatMap((option) => optionEffects(option, grammar.reasons?.get(option.name))),
    ...(grammar.open === undefined ? [] : given.options.flatMap(streamEffects)),
    ...given.strange.flatMap((option) => strangeEffects(option, grammar.open ?? false)),
    ...operandEffects(grammar.operands, given.operands),
    ...(given.unsure.length > 0 && isActive(grammar) ? [UNSURE] : []),
  ];
}

const UNSURE = doubt("operand-unknown", "a word that may be an option is only known at run time");

/** True for a program that uses its operands, or has options that affect more than its output. */
export function isActive(grammar: ProgramGrammar): boolean {
  if (grammar.operands !== ":" || (grammar.open === true && grammar.options !== "")) return true;
  return [...compile(grammar.options, grammar.style === "long").kinds.values()].some((kind) =>
    "<>/@!?&".includes(kind || " "),
  );
}

function optionEffects({ name, kind, value }: Arguments["options"][number], reason?: string): readonly Effect[] {
  const asks = doubt("option-consequences", `the option ${name} ${reason ?? optionReason(name)}`);
  if (kind === "?" || kind === "&") return [asks];
  if (value === undefined)
    return TAKES_VALUE.has(kind) ? [doubt("option-value", `the option ${name} has no value`)] : [];
  return kind === "!" ? [asks, { kind: "script", word: value, sure: false }] : effectOfLetter(kind, value);
}

/** A tool that reads its configuration from a pipe reads unchecked content. */
function streamEffects({ name, kind, value }: Arguments["options"][number]): readonly Effect[] {
  return (kind === "<" || kind === "^") && value?.text.startsWith("/dev/") === true && value.text !== "/dev/null"
    ? [doubt("opaque-content", `${name} reads from a pipe`)]
    : [];
}

function strangeEffects(option: Word, open: boolean | "asks"): readonly Effect[] {
  const [name = "", ...rest] = option.text.split("=");
  if (option.text.includes(UNKNOWN) && !(open !== false && rest.length > 0 && !name.includes(UNKNOWN)))
    return [doubt("option-unknown", "an option is only known at run time")];
  const because = `${name} is not a known option of this program`;
  if (open === false) return [doubt("option-unknown", because)];
  if (looksActive(name))
    return [doubt("option-consequences", `the option ${name} looks like it runs or loads something`)];
  return [
    ...(open === "asks" ? [question("option-unknown", because)] : []),
    ...(rest.length === 0 ? [] : [{ kind: "guess", word: { ...option, text: rest.join("=") } } as const]),
  ];
}

function operandEffects(letters: string, operands: readonly Word[]): readonly Effect[] {
  const last = letters.at(-1) ?? ":";
  if (last === "C" || last === "M") return transferEffects(last, operands);
  return operands.flatMap((operand, index) => effectOfLetter(letters[index] ?? last, operand));
}

/** Copies and moves: all other operands go into the last one. */
export function transferEffects(letter: "C" | "M", operands: readonly Word[]): readonly Effect[] {
  const target = operands.at(-1);
  if (target === undefined || operands.length < 2) return operands.flatMap((operand) => effectOfLetter("<", operand));
  return operands.slice(0, -1).flatMap((source): Effect[] => [
    { kind: "read", word: source },
    ...(letter === "M" ? [{ kind: "delete", word: source, keeps: true } as const] : []),
    { kind: "write", word: target, replaces: true },
    {
      kind: "write",
      replaces: true,
      word: { ...target, text: `${target.text}/${source.text.split("/").findLast((part) => part !== "") ?? ""}` },
    },
  ]);
}

function effectOfLetter(letter: string, value: Word): readonly Effect[] {
  switch (letter) {
    case "<":
      return value.text === "-" ? [] : [{ kind: "read", word: value }];
    case ">":
      return value.text === "-" ? [] : [{ kind: "write", word: value }];
    case "x":
      return [{ kind: "delete", word: value }];
    case "e":
      return [{ kind: "delete", word: value, keeps: true }];
    case "o":
      return [{ kind: "write", word: value, replaces: true }];
    case "/":
      return [{ kind: "chdir", word: value }];
    case "@":
      return [{ kind: "network", word: value }];
    case "^":
      return [{ kind: "code", word: value }];
    case "~":
      return [{ kind: "guess", word: value }];
    case "!":
      return [doubt("runs-program", "runs a program from its arguments"), { kind: "script", word: value, sure: false }];
    case "?":
      return [doubt("operand-consequences", `${value.text.replaceAll(UNKNOWN, "…")} has side effects`)];
    default:
      return [];
  }
}

/** What long options that need approval do, by their names. The first match wins. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^--?(?:eval|exec|execute(?:-\w+)*|call|init-hook|run_under)$/, "runs code from its arguments"],
  [/^--template$/, "copies files such as hooks into the repository"],
  [/registry$|index(?:-url)?$|^--find-links$|^--source$/, "chooses where packages come from"],
  [/proxy$|cert$|^--trusted-host/, "chooses which hosts it contacts and trusts"],
  [/^--.*(?:config|settings)/, "reads settings from an unchecked place"],
  [/plugins?(?:-\w+)*$|^--(?:require|import|preload|loader|load-.*)$/, "loads a plug-in or other code"],
  [/^--(?:open|web|editor|pager|browser|open-files-in-pager)$/, "starts another program"],
  [/^--?.*(?:python|compiler|shell|runner|wrapper|java-home|toolchain)$/, "chooses a program to start"],
];

/** Completes the sentence "the option X …". Short options differ per program, so each program describes its own. */
function optionReason(name: string): string {
  return REASONS.find(([names]) => name.length > 2 && names.test(name))?.[1] ?? "has side effects";
}
