import type { ReadyPolicy } from "../policy/ready-policy.ts";
import type { Finding } from "../verdict.ts";
import type { World } from "../world.ts";
import type { Feed } from "../../shell/feed.ts";
import type { MadePath } from "../../shell/made-paths.ts";
import type { RunningShell } from "../../shell/running-shell.ts";
import type { ShellNode } from "../../shell/script.ts";
import { UNKNOWN, type Word } from "../../shell/word.ts";

/** One judgement of one script: what it knows, and what it has found so far. */
export interface Examination {
  readonly policy: ReadyPolicy;
  readonly world: World;
  readonly findings: Finding[];
  /** What the script would do, for people. */
  readonly seen: SeenEffect[];
  /** What the script makes, and where it calls git. */
  readonly made: MadePath[];
  readonly git: {
    readonly uses: { readonly folder: string; readonly command: string }[];
    readonly worktrees: string[];
    checksOut: boolean;
  };
  /** Commands that may still be looked at. */
  budget: number;
  /** Paths that may still be looked at. */
  paths: number;
  /** Characters parsed so far. */
  parsed: number;
  /** The steps below call each other; they are passed here so that their files need not. */
  readonly steps: ExaminationSteps;
}

export interface ExaminationSteps {
  readonly source: (source: string, place: Place) => void;
  readonly nodes: (nodes: readonly ShellNode[], place: Place) => void;
  readonly argv: (words: readonly Word[], place: Place) => void;
}

export interface Place {
  readonly exam: Examination;
  readonly state: ShellState;
  readonly feed: Feed;
  /** Who reads the script at hand. */
  readonly shell: RunningShell;
  /** Shells inside shells, wrappers inside wrappers. */
  readonly depth: number;
}

export interface SeenEffect {
  readonly kind: string;
  readonly target: string;
}

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

export const UNKNOWN_WORD: Word = { text: UNKNOWN, glob: false };

export function report(exam: Examination, finding: Finding): void {
  exam.findings.push(finding);
}
