import { listedFiles } from "./programs/listed-files.ts";
import { printedText } from "./printed-text.ts";
import { programName } from "./program-name.ts";
import { isKnown, isVariable, plainLine, type Word, word } from "./word.ts";

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
  const { program } = programName(first.text);
  if (program === "echo" || program === "printf") return printedFeed(program, rest);
  if (program === "cat" && rest.length === 0) return feed;
  const filter = Object.hasOwn(PASSES_LINES, program) ? PASSES_LINES[program] : undefined;
  if (filter !== undefined && passesLines(filter, rest)) return feed.kind === "files" ? feed : { kind: "unknown" };
  const files = listedFiles(program, rest);
  return files === undefined ? { kind: "unknown" } : { kind: "files", files };
}

/** A word that is unknown or a pattern may become files to read, and their lines are no names. */
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
