import { doubt, type Effect } from "../model/effect.ts";
import type { Word } from "../model/word.ts";
import type { KnownProgram } from "./known-program.ts";

/** `@file`: options inside a file that has not been checked. */
export function argumentFiles(words: readonly Word[]): readonly Effect[] {
  return words.some(({ text }) => /^@[^@=]/.test(text))
    ? [doubt("argument-file", "options come from a file that is not checked")]
    : [];
}

/** A program that reads options from `@file`. */
export function takesArgumentFiles(program: KnownProgram): KnownProgram {
  return {
    ...program,
    more: (given, words) => [...(program.more?.(given, words) ?? []), ...argumentFiles(words)],
  };
}
