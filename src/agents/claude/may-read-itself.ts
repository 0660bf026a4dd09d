import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { targetOf } from "./expand-imports.ts";
import { type ReadingParts, readInstruction } from "../install/instruction-file.ts";

const MAX_PATHS = 2000;
const MAX_TOTAL_BYTES = 1024 * 1024;
const MAX_WORD = 1024;

/**
 * True when Claude Code may read these files by itself: they, and all files that could be taken for imports of theirs, are
 * ones that we would read for it. False when this cannot be decided within limits.
 */
export function mayReadItself(paths: readonly string[], reading: ReadingParts): boolean {
  const queue = new Set(paths);
  let left = MAX_TOTAL_BYTES;
  for (const path of queue) {
    const file = readInstruction(path, left, reading);
    if (file === undefined) continue;
    if ("problem" in file || file.cut) return false;
    left -= file.bytes;
    const names = possibleImports(file.text);
    if (names === undefined) return false;
    // The agent may resolve imports of a linked file against the link or against the file.
    for (const folder of [dirname(path), dirname(realpathSync(path))])
      for (const name of names) queue.add(targetOf(name, folder));
    if (queue.size > MAX_PATHS) return false;
  }
  return true;
}

const WORD = /(?:\\ |\S)+/g;
const FOLDER_ONLY = /^[./~]*$/;

/**
 * Every path that may follow an `@`, in code and inside Markdown formatting too: `**@.env**` is an import, and what counts
 * as code depends on the reader. Undefined for a text that cannot be split into words reliably.
 */
export function possibleImports(text: string): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const [word] of text.matchAll(WORD)) {
    if (!word.includes("@")) continue;
    if (word.length > MAX_WORD || word.includes("<!--") || word.includes("\\|")) return undefined;
    for (const { index } of word.matchAll(/@/g)) {
      const rest = word.slice(index + 1).replaceAll("\\ ", " ");
      // Markdown formatting may end the path: try each ASCII character that is unusual in names.
      for (const end of [...rest.matchAll(/[!-,:-@[-`{-~]|$/g)].map((mark) => mark.index)) {
        const name = rest.slice(0, end);
        if (!FOLDER_ONLY.test(name)) names.add(name);
      }
      if (names.size > MAX_PATHS) return undefined;
    }
  }
  return names;
}
