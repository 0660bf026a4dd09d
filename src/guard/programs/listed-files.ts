import { isVariable, type Word } from "../shell/word.ts";
import { foundFiles } from "./find.ts";
import { pathOf } from "./git-paths.ts";

const VISIBLE: readonly Word[] = [{ text: "./*", glob: true }];
const ANY: readonly Word[] = [{ text: "./.*", glob: true }];
const MAX_PATTERNS = 8;

/** The files whose names a program prints, as patterns; undefined when it prints something else, or hidden names among them. */
export function listedFiles(program: string, words: readonly Word[]): readonly Word[] | undefined {
  const texts = words.map(({ text }) => text);
  if (texts.some(isVariable) || !Object.hasOwn(LISTERS, program)) return undefined;
  const files = LISTERS[program]?.(words, texts) ?? [];
  return files.length === 0 || files.length > MAX_PATTERNS ? undefined : files;
}

const has = (texts: readonly string[], pattern: RegExp) => texts.some((text) => pattern.test(text));

type Lister = (words: readonly Word[], texts: readonly string[]) => readonly Word[] | undefined;

const LISTERS: Readonly<Record<string, Lister>> = {
  ls: (words, texts) =>
    has(texts, /^-\w*[aAfd]|^--?a|^--d/)
      ? undefined
      : foldersOf(words).map((folder) => ({ text: `${folder}/*`, glob: true })),
  find: (words) => foundFiles(words),
  git: (words, texts) =>
    texts[0] === "ls-files" || texts.includes("--name-only") ? gitFiles(words, texts) : undefined,
  rg: (_, texts) =>
    has(texts, /^-\w*l|^--files/) && !has(texts, /^-\w*[.ugf]|^--hidden|^--no-ignore|^--i?glob|^--unr/)
      ? VISIBLE
      : undefined,
  fd: (_, texts) => (has(texts, /^-\w*[HIu]|^--hidden|^--no-ignore|^--unrestricted/) ? undefined : VISIBLE),
  grep: (_, texts) => (has(texts, /^-\w*l|^--files-with-matches/) ? grepNames(texts) : undefined),
};

/** Files that git tracks. Those that it does not may be anything, hidden ones too. */
function gitFiles(words: readonly Word[], texts: readonly string[]): readonly Word[] {
  if (has(texts, /^-\w*[oi]|^--[oi]/)) return ANY;
  const paths = words
    .slice(1)
    .filter(({ text }) => !text.startsWith("-"))
    .flatMap((operand) => pathOf(operand)?.word ?? []);
  const narrowed =
    texts[0] === "ls-files" ? paths : paths.filter(({ text }) => /[*?[]|^\.(?!\.|$)|\/\.(?!\.)/.test(text));
  return narrowed.length === 0 ? VISIBLE : narrowed.map((path) => (path.glob ? path : below(path)));
}

/** A folder in a listing stands for what is in it. */
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
