import type { RunningShell } from "../../contract/agent-call.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Rule } from "../../contract/policy.ts";
import type { GuardFinding, SeenEffect } from "../../contract/verdict.ts";
import type { ArgvForms } from "../../shell/argv/argv-effects.ts";
import type { ShellNode } from "../../shell/model/script.ts";
import type { Feed, ShellState } from "../../shell/model/shell-state.ts";
import type { Word } from "../../shell/model/word.ts";
import { holdFinding } from "../contain/hold-finding.ts";
import type { Inside } from "../contain/inside.ts";
import type { ReadyPolicy } from "../rules/ready-policy.ts";

/** One judgement of one script: its inputs, and the findings so far. */
export interface ShellExamination {
  readonly policy: ReadyPolicy;
  readonly workspaceRoot: string;
  readonly home: string;
  readonly machine: Machine;
  /** The words of the script, quotes included, where it is a single command without shell syntax. */
  readonly written: readonly string[];
  /** The sandbox that the script would run in. */
  readonly inside?: Inside | undefined;
  readonly findings: GuardFinding[];
  /** What the script would do, for display. */
  readonly seen: SeenEffect[];
  /** Collects every argv that may run, wrappers and the commands in them included, if somebody wants to know. */
  readonly ran?: ArgvForms[] | undefined;
  /** What the script creates, and where it calls git. */
  readonly made: MadePath[];
  readonly git: {
    readonly uses: { readonly folder: string; readonly command: string }[];
    readonly worktrees: string[];
    checksOut: boolean;
  };
  /** Remaining number of commands to examine. */
  budget: number;
  /** Remaining number of paths to examine. */
  paths: number;
  /** Characters parsed so far. */
  parsed: number;
  /** The steps call each other. Passing them here avoids import cycles between their files. */
  readonly steps: ExaminationSteps;
}

/** A path that the script itself creates, resolved against the disk as it was before the script. */
export interface MadePath {
  readonly path: string;
  /** Its content is unknown: a folder that is moved or copied there, or a link to one. */
  readonly tree: boolean;
}

export interface ExaminationSteps {
  readonly source: (source: string, place: Place) => void;
  readonly nodes: (nodes: readonly ShellNode[], place: Place) => void;
  readonly argv: (words: readonly Word[], place: Place) => void;
}

/** The command that an effect belongs to. */
export interface Judged {
  readonly text: string;
  /** A rule matches it. */
  readonly explicit: boolean;
  /** The origin of the rule that allows it, if any. */
  readonly allowedBy?: "user" | "preset" | undefined;
  /** The rules that lend hosts to this command. */
  readonly lenders?: readonly Rule[] | undefined;
}

export interface Place {
  readonly exam: ShellExamination;
  readonly state: ShellState;
  readonly feed: Feed;
  /** The shell that runs the current script. */
  readonly shell: RunningShell;
  /** Nesting of shells and wrappers. */
  readonly depth: number;
}

/** Records a finding, as it counts in the script's sandbox. */
export function report({ findings, inside }: ShellExamination, finding: GuardFinding): void {
  findings.push(inside === undefined ? finding : holdFinding(finding, inside));
}

export const MAX_COMMANDS = 200;

export const MAX_WORDS = 2000;

export const MAX_PATHS = 500;

/** Total text that one judgement may parse, including nested shells. */
export const MAX_PARSED = 160 * 1024;

/** Beyond these limits nothing more is examined, so the answer is a denial. */
export const HOPELESS_COMMANDS = 1000;

export const HOPELESS_DEPTH = 32;
