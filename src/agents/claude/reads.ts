import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { targetOf } from "./expand-imports.ts";
import { type ReadingParts, readInstruction } from "../install/instruction-file.ts";

const MAX_PATHS = 2000;
const MAX_TOTAL_BYTES = 1024 * 1024;
const MAX_WORD = 1024;

/**
 * True when Claude Code may read these files by itself: each of them, and each file that a reader could take for an
 * import of theirs, is one that we would read for it. Whatever cannot be told in bounds is false.
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
    // Whether imports of a linked file start from the link or from the file is up to the agent.
    for (const folder of [dirname(path), dirname(realpathSync(path))])
      for (const name of names) queue.add(targetOf(name, folder));
    if (queue.size > MAX_PATHS) return false;
  }
  return true;
}

const WORD = /(?:\\ |\S)+/g;
const FOLDER_ONLY = /^[./~]*$/;

/**
 * Every path that may be meant after an `@`, in code and inside of Markdown marks too: `**@.env**` is an import, and what
 * is code depends on the reader. Undefined when a text joins its words in other ways.
 */
export function possibleImports(text: string): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const [word] of text.matchAll(WORD)) {
    if (!word.includes("@")) continue;
    if (word.length > MAX_WORD || word.includes("<!--") || word.includes("\\|")) return undefined;
    for (const { index } of word.matchAll(/@/g)) {
      const rest = word.slice(index + 1).replaceAll("\\ ", " ");
      // A mark of Markdown may end the path: each ASCII sign that is not usual in names.
      for (const end of [...rest.matchAll(/[!-,:-@[-`{-~]|$/g)].map((mark) => mark.index)) {
        const name = rest.slice(0, end);
        if (!FOLDER_ONLY.test(name)) names.add(name);
      }
      if (names.size > MAX_PATHS) return undefined;
    }
  }
  return names;
}
