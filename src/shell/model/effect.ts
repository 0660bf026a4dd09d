import type { Need, RunningShell } from "../../contract/agent-call.ts";
import type { Verdict } from "../../contract/verdict.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Word } from "./word.ts";

/** What a command would do beyond running an ordinary program. */
export type Effect =
  /**
   * `fromTop`: a relative path starts at the workspace root. `replaces`: what the file holds is lost. `keeps`: nothing
   * is lost, because it is moved or empty.
   */
  | { readonly kind: "read"; readonly word: Word; readonly fromTop?: true }
  | { readonly kind: "write"; readonly word: Word; readonly fromTop?: true; readonly replaces?: true }
  | { readonly kind: "delete"; readonly word: Word; readonly fromTop?: true; readonly keeps?: true }
  /** A word that may be a path or a URL. `writes` if the program is unknown. */
  | { readonly kind: "guess"; readonly word: Word; readonly writes?: boolean }
  /** A file or folder whose code will run: counts as read, and needs approval outside the workspace. */
  | { readonly kind: "code"; readonly word: Word }
  | { readonly kind: "chdir"; readonly word: Word }
  /** A URL or host; without one, the program connects to whatever it is configured for. */
  /** `port`: the one that the program uses where the word names none. */
  | { readonly kind: "network"; readonly word: Word | undefined; readonly port?: number }
  /** The repository changes through git. */
  | { readonly kind: "repository" }
  /**
   * Git searches for a repository from this folder upwards. `checksOut`: it may write files of a commit there; `makes`:
   * into a new work tree.
   */
  | { readonly kind: "uses-git"; readonly checksOut: boolean; readonly makes?: Word | undefined }
  /**
   * Files become those of another revision. `diffs`: what `git diff-tree` compares; see git-revisions.ts. `unsure`: the
   * revision, which the same command may make, or git may take long to compare.
   */
  | { readonly kind: "checks-out"; readonly diffs: readonly (readonly string[])[]; readonly unsure?: string }
  /**
   * Tracked files become those of a tree, or of the index without one, or are removed. `paths`: which, as pathspecs; all
   * without one. `others`: those that git does not track as well.
   */
  | {
      readonly kind: "git-paths";
      readonly paths: readonly Word[];
      readonly tree?: string;
      readonly removes?: true;
      readonly others?: "untracked" | "ignored";
    }
  /** A tree, or a link to one, appears at the target, or below it under its own name unless `spread`. */
  | {
      readonly kind: "brings";
      readonly source: Word;
      readonly target: Word;
      readonly spread: boolean;
    }
  /** Another command. `sure` if only its own rules matter, as after `timeout`. */
  | { readonly kind: "run"; readonly words: readonly Word[]; readonly sure: boolean }
  /** Text that a shell will run: the current shell, unless another is named. */
  | { readonly kind: "script"; readonly word: Word; readonly sure: boolean; readonly shell?: RunningShell }
  /** A shell variable is set, or keeps its value. `exported`: visible to the programs that the shell starts. */
  | { readonly kind: "assign"; readonly name: Word; readonly value: Word | undefined; readonly exported: boolean }
  /** A variable for the command that follows. */
  | { readonly kind: "variable"; readonly name: string; readonly word: Word }
  /** An effect that depends on where the command runs and what exists there. `inside`: only in a sandbox. */
  | {
      readonly kind: "check";
      readonly objection: (scene: CommandScene) => Effect | undefined;
      readonly inside?: true;
    }
  /** Applies if one of these paths is a folder that may contain protected files. */
  | {
      readonly kind: "if-protected";
      readonly paths: readonly string[];
      readonly effects: readonly Effect[];
      readonly otherwise: readonly Effect[];
    }
  | Doubt;

/** Where a command runs. */
export interface CommandScene {
  readonly cwd: string;
  readonly workspaceRoot: string;
  readonly home: string;
  readonly machine: Machine;
}

export interface Doubt {
  readonly kind: "doubt";
  readonly verdict: Exclude<Verdict, "allow">;
  readonly code: string;
  readonly because: string;
  /** A user's own rule for this command resolves it; a preset's rule does not. */
  readonly grantable?: true;
  /** Only counts in a sandbox, which does not give what the command needs. */
  readonly need?: Need;
}

export function doubt(code: string, because: string, verdict: Doubt["verdict"] = "ask"): Doubt {
  return { kind: "doubt", verdict, code, because };
}

/** A doubt about something that a user may have meant to allow with a rule. */
export function question(code: string, because: string): Doubt {
  return { ...doubt(code, because), grantable: true };
}

/** Something that no sandbox can give, so that the command would have to run outside. */
export function outside(target: string, because: string): Doubt {
  return { ...doubt("needs-outside", because), need: { kind: "outside", target, because } };
}
