import type { ReadyPolicy } from "../rules/ready-policy.ts";
import type { GuardFinding, SeenEffect } from "../../contract/verdict.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Feed, ShellState } from "../../shell/model/state.ts";
import type { RunningShell } from "../../contract/agent-call.ts";
import type { ShellNode } from "../../shell/model/script.ts";
import type { Word } from "../../shell/model/word.ts";

/** One judgement of one script: what it knows, and what it has found so far. */
export interface ShellExamination {
  readonly policy: ReadyPolicy;
  readonly workspaceRoot: string;
  readonly home: string;
  readonly machine: Machine;
  readonly findings: GuardFinding[];
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

/** A path that the script itself makes, as the disk would resolve it before the script. */
export interface MadePath {
  readonly path: string;
  /** Whatever lies below is not known: a folder that is moved or copied there, or a link to one. */
  readonly tree: boolean;
}

export interface ExaminationSteps {
  readonly source: (source: string, place: Place) => void;
  readonly nodes: (nodes: readonly ShellNode[], place: Place) => void;
  readonly argv: (words: readonly Word[], place: Place) => void;
}

export interface Place {
  readonly exam: ShellExamination;
  readonly state: ShellState;
  readonly feed: Feed;
  /** Who reads the script at hand. */
  readonly shell: RunningShell;
  /** Shells inside shells, wrappers inside wrappers. */
  readonly depth: number;
}

export function report(exam: ShellExamination, finding: GuardFinding): void {
  exam.findings.push(finding);
}
