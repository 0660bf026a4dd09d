import { doubt, type Effect } from "../effect.ts";
import type { Word } from "../word.ts";
import type { Program } from "./program.ts";

/** `@file`: options that stand in a file, where nobody has read them. */
export function argumentFiles(words: readonly Word[]): readonly Effect[] {
  return words.some(({ text }) => /^@[^@=]/.test(text))
    ? [doubt("argument-file", "options come from a file that is not judged")]
    : [];
}

/** A program that takes options out of `@file`. */
export function takesArgumentFiles(program: Program): Program {
  return {
    ...program,
    more: (given, words) => [...(program.more?.(given, words) ?? []), ...argumentFiles(words)],
  };
}
