import type { Word } from "../shell/word.ts";
import { foundFiles } from "./find.ts";
import { pathOf } from "./git-paths.ts";

const VISIBLE: Word = { text: "./*", glob: true };
const ANY: Word = { text: "./.*", glob: true };

/** The files whose names a program prints, as one pattern; undefined when it prints something else, or more than one pattern can say. */
export function listedFiles(program: string, words: readonly Word[]): Word | undefined {
  const texts = words.map(({ text }) => text);
  return Object.hasOwn(LISTERS, program) ? LISTERS[program]?.(words, texts) : undefined;
}

const has = (texts: readonly string[], pattern: RegExp) => texts.some((text) => pattern.test(text));

const LISTERS: Readonly<Record<string, (words: readonly Word[], texts: readonly string[]) => Word | undefined>> = {
  ls: (words, texts) =>
    has(texts, /^-\w*[aAf]|^--(?:almost-)?all/) ? undefined : { text: `${folderOf(words)}/*`, glob: true },
  find: (words) => worst(foundFiles(words)),
  git: (words, texts) =>
    texts[0] === "ls-files" || texts.includes("--name-only") ? gitFiles(words, texts) : undefined,
  rg: (_, texts) =>
    has(texts, /^-\w*l|^--files/) && !has(texts, /^-\w*[.ug]|^--hidden|^--no-ignore|^--i?glob/) ? VISIBLE : undefined,
  fd: (_, texts) => (has(texts, /^-\w*[HIu]|^--hidden|^--no-ignore|^--unrestricted/) ? undefined : VISIBLE),
  grep: (_, texts) => (has(texts, /^-\w*l|^--files-with-matches/) ? grepNames(texts) : undefined),
};

/** Files that git knows; others, ignored ones too, when it is asked for them. */
function gitFiles(words: readonly Word[], texts: readonly string[]): Word | undefined {
  const others = has(texts, /^-[a-z]*[oi]|^--(?:others|ignored)/) && !texts.includes("--exclude-standard");
  if (others) return ANY;
  const paths = words
    .slice(1)
    .filter(({ text }) => !text.startsWith("-"))
    .flatMap((operand) => pathOf(operand)?.word ?? []);
  const narrowed =
    texts[0] === "ls-files" ? paths : paths.filter(({ text }) => /[*?[]|^\.(?!\.|$)|\/\.(?!\.)/.test(text));
  return narrowed.length === 0 ? VISIBLE : worst(narrowed.map((path) => (path.glob ? path : below(path))));
}

/** A folder in a listing stands for what is in it. */
function below(path: Word): Word {
  return /(?:^|\/)\.[^./][^/]*$|\.\w+$/.test(path.text) ? path : { text: `${path.text}/*`, glob: true };
}

/** Of several patterns, the one most likely to be aimed at something hidden. */
function worst(files: readonly Word[]): Word | undefined {
  const name = ({ text }: Word) => text.split("/").at(-1) ?? "";
  return (
    files.find((file) => name(file).startsWith(".")) ??
    files.find((file) => /^[*?[](?!\.\w+$)/.test(name(file))) ??
    files[0]
  );
}

function folderOf(words: readonly Word[]): string {
  return words.find(({ text }) => !text.startsWith("-"))?.text ?? ".";
}

function grepNames(texts: readonly string[]): Word {
  const include = texts.map((text) => /^--include=(.+)$/.exec(text)?.[1]).find((pattern) => pattern !== undefined);
  return include === undefined ? ANY : { text: `./${include}`, glob: true, dots: true };
}
