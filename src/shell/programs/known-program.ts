import type { Effect } from "../model/effect.ts";
import type { Arguments, ProgramGrammar } from "./options.ts";
import type { Word } from "../model/word.ts";

/** What the tables know of a program. */
export interface KnownProgram extends ProgramGrammar {
  /** Adds what the grammar cannot say, from the sorted arguments and the words after the program's name. */
  readonly more?: (given: Arguments, words: readonly Word[]) => readonly Effect[];
  /** Replaces the grammar, for programs with a language of their own. */
  readonly whole?: (words: readonly Word[]) => readonly Effect[];
}

export type ProgramTable = Readonly<Record<string, KnownProgram>>;
