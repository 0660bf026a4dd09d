import { isVariable, type Word } from "../model/word.ts";
import { foundFiles } from "./find.ts";
import { pathOf } from "./git-paths.ts";

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
