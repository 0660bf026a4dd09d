import { namesTested } from "../programs/find.ts";
import { UNKNOWN, type Word, word } from "./word.ts";

/** What arrives on a command's standard input, as far as it is known. */
export type Feed =
  | { readonly kind: "none" | "unknown" }
  | { readonly kind: "text"; readonly text: string }
  /** Names of files, which a glob describes. */
  | { readonly kind: "files"; readonly files: Word };

const PASSES_NAMES = new Set(["sort", "uniq", "head", "tail", "grep", "egrep", "tac", "shuf"]);

/** What a command with this argv writes to the next one. */
export function feedFrom(argv: readonly Word[], feed: Feed): Feed {
  const [program = word(""), ...rest] = argv;
  const texts = rest.map(({ text }) => text);
  const name = program.text.split("/").at(-1) ?? "";
  if (name === "echo" || name === "printf") {
    const text = printedText(name, texts);
    return text === undefined ? { kind: "unknown" } : { kind: "text", text };
  }
  if (name === "cat" && rest.length === 0) return feed;
  if (PASSES_NAMES.has(name)) return feed.kind === "files" ? feed : { kind: "unknown" };
  const files = Object.hasOwn(LISTERS, name) ? LISTERS[name]?.(rest, texts) : undefined;
  return files === undefined ? { kind: "unknown" } : { kind: "files", files };
}

const VISIBLE: Word = { text: "./*", glob: true };
const has = (texts: readonly string[], pattern: RegExp) => texts.some((text) => pattern.test(text));

/** Programs that print names of files, and the glob that describes them. */
const LISTERS: Readonly<Record<string, (words: readonly Word[], texts: readonly string[]) => Word | undefined>> = {
  ls: (words, texts) =>
    has(texts, /^-\w*[aA]|^--(?:almost-)?all/) ? undefined : { text: `${folderOf(words)}/*`, glob: true },
  find: foundBy,
  git: (_, texts) => (texts[0] === "ls-files" || texts.includes("--name-only") ? VISIBLE : undefined),
  rg: (_, texts) =>
    has(texts, /^-\w*l|^--files/) && !has(texts, /^-\w*[.u]|^--hidden|^--no-ignore/) ? VISIBLE : undefined,
  fd: (_, texts) => (has(texts, /^-\w*[HIu]|^--hidden|^--no-ignore|^--unrestricted/) ? undefined : VISIBLE),
  grep: (_, texts) => (has(texts, /^-\w*l|^--files-with-matches/) ? grepNames(texts) : undefined),
};

/** What `echo` or `printf` prints; undefined when a word is not known. */
export function printedText(name: string, texts: readonly string[]): string | undefined {
  const words = texts.filter((text, index) => !(index === 0 && /^-[neE]+$/.test(text)));
  if (words.some((text) => text.includes(UNKNOWN))) return undefined;
  if (name === "echo") return words.join(" ");
  const [format = "", ...values] = words;
  let next = 0;
  return unescape(format.replace(/%[sbdq]/g, () => unescape(values[next++] ?? "")));
}

function unescape(text: string): string {
  return text
    .replace(/\\0?([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
    .replace(/\\x([0-9a-fA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll("\\n", "\n");
}

function folderOf(words: readonly Word[]): string {
  return words.find(({ text }) => !text.startsWith("-"))?.text ?? ".";
}

/** Without a name test, and with several, find may print any name, hidden ones too. */
function foundBy(words: readonly Word[]): Word {
  const names = namesTested(words);
  const name =
    names.length === 1 && names[0] !== "*"
      ? (names[0] ?? ".*")
      : (names.find((each) => each.startsWith(".")) ?? (names.length > 1 ? (names[0] ?? ".*") : ".*"));
  const [start = word(".")] = words;
  return { text: `${/^[-(!]/.test(start.text) ? "." : start.text}/${name}`, glob: /[*?[]/.test(name) };
}

function grepNames(texts: readonly string[]): Word {
  const include = texts.map((text) => /^--include=(.+)$/.exec(text)?.[1]).find((pattern) => pattern !== undefined);
  return { text: `./${include ?? ".*"}`, glob: true };
}
