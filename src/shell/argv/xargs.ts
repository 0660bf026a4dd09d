import { doubt, type Effect } from "../model/effect.ts";
import type { Feed } from "../model/shell-state.ts";
import { isVariable, UNKNOWN, type Word, word } from "../model/word.ts";
import { foundFiles } from "../programs/find.ts";
import { pathOf } from "../programs/git-losses.ts";
import { type Arguments, effectsOf, readArguments } from "../programs/options.ts";

const XARGS = {
  options:
    "-0rtpxo -I: -i= -J: -R: -n: -L: -l= -P: -s: -d: -E: -e= -a< --null --arg-file< --delimiter: --max-args: --max-procs: --max-chars: --max-lines= --replace= --no-run-if-empty --verbose --interactive --exit --show-limits --open-tty --process-slot-var:",
  operands: ":",
  style: "first",
} as const;

/** xargs: the inner command, with its input inserted or appended, once per run. */
export function xargsEffects(words: readonly Word[], feed: Feed): readonly Effect[] {
  const given = readArguments(XARGS, words);
  const inner = given.operands.length === 0 ? [word("echo")] : given.operands;
  const runs = commandsOf(inner, given, feed);
  const opaque = runs.some(([program]) => program === undefined || isVariable(program.text) || program.glob);
  const own = words.slice(0, words.length - given.operands.length);
  return [
    ...effectsOf(XARGS, given),
    ...(opaque ? [doubt("program-unknown", "xargs runs whatever it reads")] : []),
    ...(own.some(({ open }) => open === true)
      ? [doubt("operand-unknown", "its options are only known at run time")]
      : []),
    ...runs.map((run): Effect => ({ kind: "run", words: run, sure: true })),
  ];
}

/**
 * Each command that runs, or one with unknown words if that is uncertain. A text that is only likely adds its own
 * commands.
 */
function commandsOf(inner: readonly Word[], given: Arguments, feed: Feed): readonly (readonly Word[])[] {
  const mark = given.options.find(({ name }) => REPLACES.has(name));
  const insert = (items: readonly Word[]) =>
    mark === undefined ? [...inner, ...items] : inner.map((part) => inserted(part, mark.value?.text ?? "{}", items));
  if (feed.kind === "files") {
    const plain = given.options.every(({ name }) => !SHAPES.test(name));
    return plain ? feed.files.map((file) => insert([file])) : [insert([OPEN])];
  }
  const batches = feed.kind === "text" ? batchesOf(feed.text, given) : undefined;
  if (feed.kind !== "text" || !feed.sure || batches === undefined) {
    const likely = feed.kind === "text" ? feed.text.replaceAll(/['"\\]/g, "").split(/\s+/) : [];
    const items = likely.filter((item) => item !== "").slice(0, MAX_RUNS * 2);
    return [insert([OPEN]), ...(items.length === 0 ? [] : [insert(items.map(word))])];
  }
  return batches.map((items) => insert(items.map(word)));
}

const OPEN: Word = { text: UNKNOWN, glob: false, open: true };

const REPLACES = new Set(["-I", "-i", "--replace", "-J"]);

/** Options that split the input in ways we do not model. */
const SHAPES = /^-(?:[aJRLlsdEexi]|-(?:arg-file|delimiter|max-lines|max-chars|exit|eof))$/;

const MAX_RUNS = 16;

/** The items for each run of the command; undefined if the input is not split that simply. */
function batchesOf(text: string, { options, strange }: Arguments): readonly (readonly string[])[] | undefined {
  // Quotes, backslashes and other kinds of white space have special meanings.
  if (/[^ -~\t\n]|['"\\]/.test(text) || strange.length > 0) return undefined;
  const shaping = options.filter(
    ({ name }) => /^-(?:[nI0]|-(?:max-args|replace|null))$/.test(name) || SHAPES.test(name),
  );
  const [only] = shaping;
  if (shaping.length > 1) return undefined;
  const items = text.split(/[ \t\n]+/).filter((item) => item !== "");
  switch (only?.name) {
    case undefined:
      return [items];
    case "-0":
    case "--null":
      return text === "" ? undefined : [[text]];
    case "-I":
    case "--replace":
      return lineBatches(text);
    case "-n":
    case "--max-args":
      return sizedBatches(items, only?.value?.text ?? "");
    default:
      return undefined;
  }
}

function lineBatches(text: string): readonly (readonly string[])[] | undefined {
  const lines = text.split("\n").map((line) => line.replace(/^[ \t]+/, ""));
  const used = lines.filter((line) => line !== "");
  return used.length > MAX_RUNS || used.some((line) => /[ \t]$/.test(line)) ? undefined : used.map((line) => [line]);
}

function sizedBatches(items: readonly string[], most: string): readonly (readonly string[])[] | undefined {
  if (!/^[1-9]\d?$/.test(most) || items.length > MAX_RUNS) return undefined;
  const size = Number(most);
  const count = Math.max(1, Math.ceil(items.length / size));
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

function inserted(part: Word, placeholder: string, items: readonly Word[]): Word {
  const [item = OPEN] = items;
  if (part.text === placeholder) return { ...item, open: false };
  return part.text.includes(placeholder) && placeholder !== ""
    ? { text: part.text.replaceAll(placeholder, item.glob ? UNKNOWN : item.text), glob: part.glob }
    : part;
}

/** Git lists hidden files as well, which counts where they are written. */
const TRACKED: readonly Word[] = [{ text: "./*", glob: true, lists: "tracked" }];

const ANY: readonly Word[] = [{ text: "./.*", glob: true }];

const MAX_PATTERNS = 8;

/** The files whose names a program prints, as patterns; undefined if it prints anything else or hidden names. */
export function listedFiles(program: string, words: readonly Word[]): readonly Word[] | undefined {
  const texts = words.map(({ text }) => text);
  if (texts.some(isVariable) || !Object.hasOwn(LISTERS, program)) return undefined;
  const files = LISTERS[program]?.(words, texts) ?? [];
  return files.length === 0 || files.length > MAX_PATTERNS ? undefined : files;
}

const has = (texts: readonly string[], pattern: RegExp) => texts.some((text) => pattern.test(text));

type Lister = (words: readonly Word[], texts: readonly string[]) => readonly Word[] | undefined;

/** True if all options leave the names unchanged. Any other option may print text of the caller's choice. */
const onlyOptions = (texts: readonly string[], known: RegExp) =>
  texts.every(
    (text, at) =>
      (!text.startsWith("-") || known.test(text)) && !(/^-[eEtd]$/.test(text) && (texts[at + 1] ?? "").startsWith("-")),
  );

const LS = /^(?:-[1rtSUXvCxkhRqLH]+|--(?:reverse|recursive|group-directories-first|sort=\w+|color=never))$/;

const RG =
  /^(?:-[ilswFSUvx0]+|-[te]|-t\w+|--(?:files|files-with-matches|files-without-match|ignore-case|smart-case|word-regexp|fixed-strings|null|type(?:-not)?=\w+|sort=path))$/;

const FD =
  /^(?:-[0aLspigF1]+|-[eEtd]|-e\w+|-t\w|-d\d+|--(?:glob|full-path|absolute-path|print0|case-sensitive|ignore-case|follow|(?:extension|type|max-depth|exclude)=.*))$/;

const GREP =
  /^(?:-[rRlLiIwnHsFEGPvxzZ]+|-e|--(?:include|exclude|exclude-dir)=.+|--(?:files-with-matches|files-without-match|recursive|ignore-case|null|word-regexp|fixed-strings|extended-regexp))$/;

const GIT =
  /^(?:-[zcmdokir]+|-M|--|--(?:name-only|cached|staged|modified|deleted|others|ignored|exclude-standard|full-name|recurse-submodules|error-unmatch|deduplicate|no-renames|relative|no-commit-id|root|merge-base|no-ext-diff|diff-filter=\w+|(?:format|pretty)=))$/;

/** Actions of find that print something else, or run a program that may. */
const FIND_PRINTS = /^-(?:f?printf|f?ls|exec|execdir|ok|okdir|files0-from|fprint0?)$/;

const LISTERS: Readonly<Record<string, Lister>> = {
  ls: (words, texts) =>
    onlyOptions(texts, LS) ? foldersOf(words).map((folder) => ({ text: `${folder}/*`, glob: true })) : undefined,
  find: (words, texts) => (has(texts, FIND_PRINTS) ? undefined : foundFiles(words)),
  git: (words, texts) => (printsNames(texts) && onlyOptions(texts, GIT) ? gitFiles(words, texts) : undefined),
  rg: (_, texts) =>
    has(texts, /^-\w*l|^--files/) && onlyOptions(texts, RG)
      ? visibleFiles(texts, { valued: /^-\w*[te]$/, alone: /^-\w*e$|^--files$/ })
      : undefined,
  fd: (_, texts) => (onlyOptions(texts, FD) ? visibleFiles(texts, { valued: /^-[eEtd]$/, alone: /^$/ }) : undefined),
  grep: (_, texts) => (has(texts, /^-\w*l|^--files-with/) && onlyOptions(texts, GREP) ? grepNames(texts) : undefined),
};

/** A commit is shown with its message unless told otherwise. */
function printsNames(texts: readonly string[]): boolean {
  const [subcommand = ""] = texts;
  if (subcommand === "ls-files") return true;
  if (!texts.includes("--name-only")) return false;
  if (subcommand === "show" || subcommand === "log") return has(texts, /^--(?:format|pretty)=$/);
  return /^(?:diff|diff-tree|diff-index|diff-files|ls-tree)$/.test(subcommand);
}

/** Files that are not hidden, below the folders after the pattern. With an option of `alone` there is no pattern. */
function visibleFiles(
  texts: readonly string[],
  { valued, alone }: { readonly valued: RegExp; readonly alone: RegExp },
): readonly Word[] {
  const operands = texts.filter((text, at) => !text.startsWith("-") && !valued.test(texts[at - 1] ?? ""));
  const folders = operands.slice(has(texts, alone) ? 0 : 1).map((text) => text.replace(/\/+$/, ""));
  return (folders.length === 0 ? ["."] : folders).map((folder) => ({
    text: `${folder}/*`,
    glob: true,
    lists: "visible",
  }));
}

/** Files tracked by git. Untracked files may be anything, including hidden ones. */
function gitFiles(words: readonly Word[], texts: readonly string[]): readonly Word[] {
  if (has(texts, /^-\w*[oi]|^--[oi]/)) return ANY;
  const paths = words
    .slice(1)
    .filter(({ text }) => !text.startsWith("-"))
    .flatMap((operand) => pathOf(operand)?.word ?? []);
  const narrowed =
    texts[0] === "ls-files" ? paths : paths.filter(({ text }) => /[*?[]|^\.(?!\.|$)|\/\.(?!\.)/.test(text));
  return narrowed.length === 0
    ? TRACKED
    : narrowed.map((path) => ({ ...(path.glob ? path : below(path)), lists: "tracked" }));
}

/** A folder in a listing stands for its content. */
function below(path: Word): Word {
  return /(?:^|\/)\.[^./][^/]*$|\.\w+$/.test(path.text) ? path : { text: `${path.text}/*`, glob: true };
}

function foldersOf(words: readonly Word[]): readonly string[] {
  const folders = words.filter(({ text }) => !text.startsWith("-")).map(({ text }) => text);
  return folders.length === 0 ? ["."] : folders;
}

function grepNames(texts: readonly string[]): readonly Word[] {
  const include = texts.map((text) => /^--include=(.+)$/.exec(text)?.[1]).find((pattern) => pattern !== undefined);
  return include === undefined ? ANY : [{ text: `./${include}`, glob: true, dots: true }];
}
