import { doubt, type Effect, question } from "../model/effect.ts";
import { UNKNOWN, type Word } from "../model/word.ts";
import type { Arguments, ProgramGrammar } from "./options.ts";

/** What the tables know about a program. */
export interface KnownProgram extends ProgramGrammar {
  /** Adds effects that the grammar cannot express, from the sorted arguments and the words after the program's name. */
  readonly more?: (given: Arguments, words: readonly Word[]) => readonly Effect[];
  /** Replaces the grammar, for programs with their own language. */
  readonly whole?: (words: readonly Word[]) => readonly Effect[];
}

export type ProgramTable = Readonly<Record<string, KnownProgram>>;

/**
 * A program with its subcommands; `a|b` for those that are alike. Any other subcommand needs approval, because it is
 * unknown what it runs. A user's own rule for it resolves that.
 */
export function subcommands(name: string, table: Readonly<Record<string, KnownProgram>>, options = ""): ProgramTable {
  const known = Object.entries(table).flatMap(([names, program]) =>
    names.split("|").map((sub): [string, KnownProgram] => [`${name} ${sub}`, program]),
  );
  return {
    ...Object.fromEntries(known),
    [name]: {
      options: `--version --help -h -V -v ${options}`,
      operands: ":",
      open: "asks",
      more: ({ operands: [sub] }) =>
        sub === undefined
          ? []
          : [question("subcommand", `${sub.text.replaceAll(UNKNOWN, "…")} is not a known subcommand of ${name}`)],
    },
  };
}

/** Uses the code and settings of the folder; operands are its files or filters, and it may change the files. */
export function works(options: string, more: Partial<KnownProgram> = {}): KnownProgram {
  return {
    options: `-h --help ${options}`,
    operands: ":",
    open: "asks",
    more: (given) => [
      OWN_FOLDER,
      ...given.operands.map((operand): Effect => ({ kind: "guess", word: operand, writes: true })),
    ],
    ...more,
  };
}

/** Like `works`, for a tool that only reads its operands. */
export function reads(options: string, more: Partial<KnownProgram> = {}): KnownProgram {
  const look = (given: Arguments): readonly Effect[] => [
    OWN_FOLDER,
    ...given.operands.map((operand): Effect => ({ kind: "guess", word: operand })),
  ];
  return works(options, { more: look, ...more });
}

/** Runs the command after its options, which is judged separately. */
export function starts(options: string): KnownProgram {
  return {
    options,
    operands: ":",
    style: "first",
    open: "asks",
    more: (given) => commandBehind(given.operands, given),
  };
}

/** The command in `words`. An unknown option may take a value; then the command starts one word later. */
function commandBehind(words: readonly Word[], given: Arguments): readonly Effect[] {
  const unsure = words.length > 1 && given.strange.some(({ text }) => !text.includes("="));
  return (unsure ? [words, words.slice(1)] : [words])
    .filter((inner) => inner.length > 0)
    .map((inner): Effect => ({ kind: "run", words: inner, sure: true }));
}

/** Always needs approval, whatever follows. */
export function needsApproval(because: string): KnownProgram {
  return { options: "", operands: "~", open: true, more: () => [question("subcommand", because)] };
}

/**
 * Tools have more options than a table can list, so unlisted ones are classified by name: an option named like an
 * output writes, one named like a configuration or plug-in runs code, one named like an address listens.
 */
export function watched(table: ProgramTable, sort: Sort): ProgramTable {
  return Object.fromEntries(Object.entries(table).map(([name, program]) => [name, watchedProgram(program, sort)]));
}

/** Network programs load no code, and take addresses in many options. */
type Sort = "runs" | "talks";

function watchedProgram(program: KnownProgram, sort: Sort): KnownProgram {
  if (program.open === undefined || program.open === false || program.whole !== undefined) return program;
  return {
    ...program,
    more: (given, words) => {
      const own = program.more?.(given, words) ?? [];
      return [
        ...own,
        ...namedEffects(given, words, sort),
        ...(own.includes(OWN_FOLDER) ? operandCode(given, words) : []),
      ];
    },
  };
}

/** An operand outside the folder is also code, if the program runs code. */
function operandCode(given: Arguments, words: readonly Word[]): readonly Effect[] {
  const end = words.findIndex(({ text }) => text === "--");
  if (/^https?:/i.test(given.operands[0]?.text ?? "")) return [doubt("inline-config", "loads code from a URL")];
  return given.operands
    .filter((operand) => end === -1 || words.indexOf(operand) < end)
    .filter(({ text }) => LEAVES.test(text) && !/^\/\/|^\/[a-zA-Z]+:/.test(text))
    .map((operand): Effect => ({ kind: "code", word: operand }));
}

const LEAVES = /^[/~]|(?:^|\/)\.\.(?:\/|$)/;

/** Runs the code of the current folder. */
export const OWN_FOLDER: Effect = { kind: "code", word: { text: ".", glob: false } };

const SETTLED = "<>/@!?&~";

function namedEffects(given: Arguments, words: readonly Word[], sort: Sort): readonly Effect[] {
  const settled = new Map(given.options.map(({ name, kind }) => [name, kind]));
  const edits =
    sort === "runs" &&
    (words.some(({ text }) => EDITS.test(text)) || /^(?:format|fmt)$/.test(given.operands[0]?.text ?? ""))
      ? given.operands.map((operand): Effect => ({ kind: "guess", word: operand, writes: true }))
      : [];
  const named = words.flatMap((current, index): readonly Effect[] => {
    const [, name, attached] = /^(--?[A-Za-z][\w.-]*)(?:[=:]([\s\S]*))?$/.exec(current.text) ?? [];
    if (name === undefined) return clusterEffects(current);
    const kind = settled.get(name) ?? ":";
    const next = words[index + 1];
    const value = attached === undefined ? next : { ...current, text: attached };
    const given = value === undefined || (attached === undefined && value.text.startsWith("-")) ? undefined : value;
    const parts = partsOf(name);
    return [
      ...(sort === "runs" ? listenEffects(parts, given) : []),
      ...(given === undefined || sort === "talks" ? [] : loadEffects(name, parts, given)),
      ...(given === undefined || (kind !== "" && SETTLED.includes(kind)) ? [] : outputEffects(parts, given)),
      ...(/^-[a-zA-Z]./.test(name) ? clusterEffects(current) : []),
    ];
  });
  return [...edits, ...named];
}

/** Options that make a tool edit its input files. */
const EDITS = /^(?:-[wiaA]|--(?:fix|write|apply|in-?place|auto-?correct|update)[\w-]*)$/;

function partsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((part) => part !== "");
}

const OUTPUT =
  /^(?:out\w*|logs?|logfile|logger|reports?|reporter|results?|junit\w*|html|xml|cache\w*|dir|directory|debug|file|filename|dest\w*|dump|save|write|export|trace|profile|snapshot|artifacts?|diag|metafile|store)$/;

const MANNER = /^(?:format|level|style|delimiter|separator|indent|prefix|type|version|width|mode|name|pattern)$/;

/** `html:folder`, `json=file` and `trx;LogFileName=file` name a file after the format. */
function outputEffects(parts: readonly string[], value: Word): readonly Effect[] {
  if (!parts.some((part) => OUTPUT.test(part))) return [];
  const text = value.text.replace(/^(?:[\w-]+[:=]|[\w;=-]*=)(?=[^/]|\/[^/])/, "");
  const manner = text === value.text && parts.some((part) => MANNER.test(part));
  return pathLike(text) && !manner ? [{ kind: "write", word: { ...value, text } }] : [];
}

function pathLike(text: string): boolean {
  return /^[./~]|\/|\.\w+$/.test(text) && !/[{}$*\s]|:\/\//.test(text) && !text.includes(UNKNOWN);
}

const LOADS =
  /^(?:config\w*|conf|rcfile|tsconfig|settings|rulesdir|resolve|format|formatter|reporters?|environment|import|require|loader|load|plugins?|parser|project|manifest|root|rootdir|prefix|cwd|chdir|dir|directory|file|makefile|justfile|taskfile|build|script|package|toolchain|setup|bootstrap|overlay|modfile|include|adapter|typeshed|extension|workspace)$/;

/** The path in an option that loads something is code; so is an inline configuration. */
function loadEffects(name: string, parts: readonly string[], value: Word): readonly Effect[] {
  if (
    !/^-[cfrpRCwds]$/.test(name) &&
    !parts.some((part) => LOADS.test(part) && !/^(?:out\w*|log|report|cache)$/.test(parts[0] ?? ""))
  )
    return [];
  if (/^\s*[{[]\s*["'\w]/.test(value.text))
    return [doubt("inline-config", `the configuration in ${name} can load code`)];
  if (/^(?:data|https?|file):/i.test(value.text)) return [doubt("inline-config", `${name} loads code from a URL`)];
  return /^[/~]|(?:^|\/)\.\.?(?:\/|$)/.test(value.text) ? [{ kind: "code", word: value }] : [];
}

const HERE = /^(?:(?:localhost|127\.0\.0\.1|\[?::1\]?)(?::\d+)?|\d+|false)$/i;

function listenEffects(parts: readonly string[], value: Word | undefined): readonly Effect[] {
  const debugs = parts[0] === "inspect";
  const last = parts.at(-1) ?? "";
  if (!debugs && !/^(?:host|hostname|serve|bind|listen|address|addr)$/.test(last)) return [];
  if (value === undefined || (debugs && /^[^:]*\.\w+$/.test(value.text) && !/^[\d.]+$/.test(value.text)))
    return debugs ? [] : [doubt("listens", "listens for connections from other machines")];
  return HERE.test(value.text) ? [] : [doubt("listens", "listens for connections from other machines")];
}

/** `-o.git/x`: a path attached to a letter. */
function clusterEffects({ text, glob }: Word): readonly Effect[] {
  const path = /^-[a-zA-Z]+?=?([./~][^=]*\/.*|\.\w.*)$/.exec(text)?.[1];
  return path === undefined || text.startsWith("--")
    ? []
    : [{ kind: "guess", word: { text: path, glob }, writes: true }];
}

/** `@file`: options inside a file that has not been checked. */
export function argumentFiles(words: readonly Word[]): readonly Effect[] {
  return words.some(({ text }) => /^@[^@=]/.test(text))
    ? [doubt("argument-file", "options come from a file that is not checked")]
    : [];
}

/** A program that reads options from `@file`. */
export function takesArgumentFiles(program: KnownProgram): KnownProgram {
  return {
    ...program,
    more: (given, words) => [...(program.more?.(given, words) ?? []), ...argumentFiles(words)],
  };
}

/** Words sent to another machine must be known in advance: `npm view x-$(cat secret)` sends a secret. */
export function sentWords(given: Arguments, what: string): readonly Effect[] {
  const unknown = [...given.operands, ...given.strange, ...given.options.flatMap(({ value }) => value ?? [])].some(
    ({ text, glob }) => text.includes(UNKNOWN) || glob,
  );
  return unknown ? [doubt("sends-unknown", `${what} is sent to another machine and is only known at run time`)] : [];
}
