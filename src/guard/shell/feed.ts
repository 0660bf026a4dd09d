import { listedFiles } from "../programs/listed-files.ts";
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
  const files = listedFiles(name, rest);
  return files === undefined ? { kind: "unknown" } : { kind: "files", files };
}

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
