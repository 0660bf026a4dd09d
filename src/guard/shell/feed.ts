import { namesTested } from "../programs/find.ts";
import { printedText } from "./printed-text.ts";
import { programName } from "./program-name.ts";
import { isVariable, type Word, word } from "./word.ts";

/** What arrives on a command's standard input, as far as it is known. */
export type Feed =
  | { readonly kind: "none" | "unknown" }
  /** `sure` unless it is only what the text seems to be. */
  | { readonly kind: "text"; readonly text: string; readonly sure: boolean }
  /** Names of files, which these words describe. */
  | { readonly kind: "files"; readonly files: readonly Word[] };

/** Programs that pass whole lines on, with the words after which they still do, and read nothing else. */
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

/** What a command with this argv writes to the next one. */
export function feedFrom(argv: readonly Word[], feed: Feed): Feed {
  const [first = word(""), ...rest] = argv;
  const texts = rest.map(({ text }) => text);
  const { program } = programName(first.text);
  if (program === "echo" || program === "printf") return printedFeed(program, rest);
  if (program === "cat" && rest.length === 0) return feed;
  if (Object.hasOwn(PASSES_LINES, program) && PASSES_LINES[program]?.test(texts.join(" ")) === true)
    return feed.kind === "files" ? feed : { kind: "unknown" };
  const files = Object.hasOwn(LISTERS, program) ? LISTERS[program]?.(rest, texts) : undefined;
  return files === undefined ? { kind: "unknown" } : { kind: "files", files };
}

function printedFeed(program: "echo" | "printf", words: readonly Word[]): Feed {
  const names = words.filter(({ text }) => text !== "-n");
  if (program === "echo" && words.some(({ glob }) => glob) && !names.some(({ text }) => /^-|[\s'"\\]/.test(text)))
    return names.some(({ text }) => isVariable(text)) ? { kind: "unknown" } : { kind: "files", files: names };
  const printed = printedText(program, words);
  if (printed === undefined) return { kind: "unknown" };
  return { kind: "text", text: printed.text ?? printed.likely, sure: printed.text !== undefined };
}

const VISIBLE: readonly Word[] = [{ text: "./*", glob: true }];
const has = (texts: readonly string[], pattern: RegExp) => texts.some((text) => pattern.test(text));

type Lister = (words: readonly Word[], texts: readonly string[]) => readonly Word[] | undefined;

/** Programs that print names of files, and words that describe them; undefined when hidden ones may be among them. */
const LISTERS: Readonly<Record<string, Lister>> = {
  ls: (words, texts) =>
    has(texts, /^-\w*[aAfd]|^--?a|^--d/) || !words.every(({ text }) => !isVariable(text))
      ? undefined
      : foldersOf(words).map((folder) => ({ text: `${folder}/*`, glob: true })),
  find: foundBy,
  git: (_, texts) =>
    texts[0] === "ls-files" || texts.includes("--name-only") ? listedByGit(texts.slice(1)) : undefined,
  rg: (_, texts) =>
    has(texts, /^-\w*l|^--files/) && !has(texts, /^-\w*[.ugf]|^--hidden|^--no-ignore|^--i?glob|^--unr/)
      ? VISIBLE
      : undefined,
  fd: (_, texts) => (has(texts, /^-\w*[HIu]|^--hidden|^--no-ignore|^--unrestricted/) ? undefined : VISIBLE),
  grep: (_, texts) => (has(texts, /^-\w*l|^--files-with-matches/) ? grepNames(texts) : undefined),
};

/** Visible files, and what pathspecs among the words pick. One with magic, and files that are not tracked, may be anything. */
function listedByGit(texts: readonly string[]): readonly Word[] | undefined {
  const specs = texts.filter((text) => !text.startsWith("-"));
  if (has(texts, /^-\w*[oi]|^--[oi]/)) return undefined;
  if (specs.length > MAX_SPECS || specs.some((text) => text.startsWith(":") || isVariable(text))) return undefined;
  return [...VISIBLE, ...specs.filter((text) => /[*?[]|^\.|\/\./.test(text)).flatMap((text) => named(".", text))];
}

const MAX_SPECS = 8;

/** Names that fit a pattern whose wildcards match a leading dot, as words for a shell whose wildcards do not. */
function named(folder: string, pattern: string): readonly Word[] {
  const hidden = pattern.replace(/^(?:\*|\?|\[[^\]]*\])/, (wildcard) => (wildcard === "*" ? ".*" : "."));
  const bare = pattern.replace(/^\*+(?=\.)/, "");
  return [...new Set([pattern, hidden, bare])].map((name) => ({
    text: `${folder}/${name}`,
    glob: /[*?[]/.test(name),
  }));
}

function foldersOf(words: readonly Word[]): readonly string[] {
  const folders = words.filter(({ text }) => !text.startsWith("-")).map(({ text }) => text);
  return folders.length === 0 ? ["."] : folders;
}

/** What find may print. Without a name test, and with several, that is any name; its wildcards match a leading dot. */
function foundBy(words: readonly Word[]): readonly Word[] | undefined {
  const names = namesTested(words);
  const [start = word(".")] = words;
  const folder = /^[-(!]/.test(start.text) ? "." : start.text;
  if (words.some(({ text }) => isVariable(text))) return undefined;
  const tested = names.length === 0 || names.includes("*") ? [".*"] : names;
  return tested.flatMap((name) => named(folder, name));
}

function grepNames(texts: readonly string[]): readonly Word[] {
  const include = texts.map((text) => /^--include=(.+)$/.exec(text)?.[1]).find((pattern) => pattern !== undefined);
  return [{ text: `./${include ?? ".*"}`, glob: true }];
}
