import type { Word } from "./word.ts";

/** The shell's state at one point. */
export interface ShellState {
  cwd: string;
  /** Where it would be if a `cd` failed. */
  otherCwds: readonly string[];
  /** The target of `cd -`, if a `cd` in the same chain has set it. */
  previousCwd: string | undefined;
  /** Assigned variables; UNKNOWN text if the value is only known at run time. */
  readonly variables: Map<string, Word>;
}

export function copyState(state: ShellState): ShellState {
  return { ...state, variables: new Map(state.variables) };
}

/** A command's standard input, as far as it is known. */
export type Feed =
  | { readonly kind: "none" | "unknown" }
  /** `sure` unless the text is only a guess. */
  | { readonly kind: "text"; readonly text: string; readonly sure: boolean }
  /** File names, described by these words. */
  | { readonly kind: "files"; readonly files: readonly Word[] };
