import type { Effect } from "../model/effect.ts";
import type { Arguments, ProgramGrammar } from "./options.ts";
import type { Word } from "../model/word.ts";

/** What the tables know about a program. */
export interface KnownProgram extends ProgramGrammar {
  /** Adds effects that the grammar cannot express, from the sorted arguments and the words after the program's name. */
  readonly more?: (given: Arguments, words: readonly Word[]) => readonly Effect[];
  /** Replaces the grammar, for programs with their own language. */
  readonly whole?: (words: readonly Word[]) => readonly Effect[];
}

export type ProgramTable = Readonly<Record<string, KnownProgram>>;
