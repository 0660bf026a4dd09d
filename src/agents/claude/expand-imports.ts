import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isInside } from "../../lib/inside.ts";
import { readImports } from "../../lib/read-imports.ts";
import { type LeftOut, type ReadingParts, readInstruction } from "../install/instruction-file.ts";

/** One file of a repository's instructions. */
export interface InstructionPart {
  readonly path: string;
  readonly text: string;
}

interface Expanded {
  readonly parts: readonly InstructionPart[];
  readonly leftOut: readonly LeftOut[];
}

/** Claude Code follows imports to this depth. */
const MAX_DEPTH = 5;
const MAX_FILES = 64;
const MAX_TOTAL_BYTES = 256 * 1024;

/**
 * Files and the `@imports` in them, each once, in Claude Code's order, and only from inside the workspace. The imports in
 * the texts are put between backticks, so that they are not followed again.
 */
export function expandImports(paths: readonly string[], reading: ReadingParts): Expanded {
  const parts: InstructionPart[] = [];
  const leftOut: LeftOut[] = [];
  const seen = new Set<string>();
  let left = MAX_TOTAL_BYTES;
  const add = (path: string, depth: number): void => {
    if (seen.has(path)) return;
    seen.add(path);
    if (parts.length >= MAX_FILES || left === 0) {
      leftOut.push({ path, because: `more than ${MAX_FILES} files or ${MAX_TOTAL_BYTES} bytes` });
      return;
    }
    const file = readInstruction(path, left, reading);
    if (file === undefined) return;
    if ("problem" in file) {
      leftOut.push({ path, because: file.problem });
      return;
    }
    left -= file.bytes;
    if (file.cut) leftOut.push({ path, because: `cut at ${MAX_TOTAL_BYTES} bytes in all` });
    const { text, imports } = readImports(file.text);
    if (text.trim() !== "") parts.push({ path, text });
    if (depth === MAX_DEPTH) return;
    for (const name of imports) {
      const target = targetOf(name, dirname(path));
      if (isInside(target, reading.workspace)) add(target, depth + 1);
      else leftOut.push({ path: target, because: "imported from outside the workspace" });
    }
  };
  for (const path of paths) add(path, 0);
  return { parts, leftOut };
}

/** The path to which an import in a file of this folder refers. */
export function targetOf(name: string, folder: string): string {
  return name.startsWith("~/") ? join(homedir(), name.slice(2)) : resolve(folder, name);
}
