import type { Word } from "./word.ts";

/** What the shell knows at one moment. */
export interface ShellState {
  cwd: string;
  /** Where it would be if a `cd` had failed. */
  otherCwds: readonly string[];
  /** What `cd -` goes back to, when a `cd` of the same chain has set it. */
  previousCwd: string | undefined;
  /** Assigned variables; UNKNOWN text when only the shell will know. */
  readonly variables: Map<string, Word>;
}

export function copyState(state: ShellState): ShellState {
  return { ...state, variables: new Map(state.variables) };
}

/** What arrives on a command's standard input, as far as it is known. */
export type Feed =
  | { readonly kind: "none" | "unknown" }
  /** `sure` unless it is only what the text seems to be. */
  | { readonly kind: "text"; readonly text: string; readonly sure: boolean }
  /** Names of files, which these words describe. */
  | { readonly kind: "files"; readonly files: readonly Word[] };
