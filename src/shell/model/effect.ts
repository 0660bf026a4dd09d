import type { Verdict } from "../../contract/verdict.ts";
import type { RunningShell } from "../../contract/agent-call.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Word } from "./word.ts";

/** What a command would do beyond running an ordinary program. */
export type Effect =
  /** `fromTop`: a relative path starts at the top of the workspace. */
  | { readonly kind: "read" | "write" | "delete"; readonly word: Word; readonly fromTop?: true }
  /** A word that may be a path or a URL. `writes` when nothing is known of the program. */
  | { readonly kind: "guess"; readonly word: Word; readonly writes?: boolean }
  /** A file or folder whose code will run: read, and asked about outside the workspace. */
  | { readonly kind: "code"; readonly word: Word }
  | { readonly kind: "chdir"; readonly word: Word }
  /** A URL or host; without one, the program talks to whatever it is configured for. */
  | { readonly kind: "network"; readonly word: Word | undefined }
  /** The repository changes, through git. */
  | { readonly kind: "repository" }
  /** git looks for a repository from the folder upwards. `checksOut`: it may put files of a commit there; `makes`: as a work tree of its own. */
  | { readonly kind: "uses-git"; readonly checksOut: boolean; readonly makes?: Word | undefined }
  /** A tree, or a link to one, comes to stand at the target, or below it under its own name unless `spread`. */
  | {
      readonly kind: "brings";
      readonly source: Word;
      readonly target: Word;
      readonly spread: boolean;
    }
  /** Another command. `sure` when the rules for it are all that counts, as behind `timeout`. */
  | { readonly kind: "run"; readonly words: readonly Word[]; readonly sure: boolean }
  /** Text that a shell will read: the one that is running, unless another is named. */
  | { readonly kind: "script"; readonly word: Word; readonly sure: boolean; readonly shell?: RunningShell }
  /** A variable of the shell gets a value, or keeps the one that it has. `exported`: programs that it starts see it. */
  | { readonly kind: "assign"; readonly name: Word; readonly value: Word | undefined; readonly exported: boolean }
  /** Variables for the command that follows. */
  | { readonly kind: "variable"; readonly name: string; readonly word: Word }
  /** A doubt that depends on where the command runs and what stands there. */
  | { readonly kind: "check"; readonly objection: (scene: CommandScene) => Doubt | undefined }
  /** Depends on whether one of these paths is a folder that may hold protected files. */
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
  /** A rule of the user's own for this command settles it; a preset's rule does not. */
  readonly grantable?: true;
}

export function doubt(code: string, because: string, verdict: Doubt["verdict"] = "ask"): Doubt {
  return { kind: "doubt", verdict, code, because };
}

/** A question about something that a user may have meant to allow by a rule. */
export function question(code: string, because: string): Doubt {
  return { ...doubt(code, because), grantable: true };
}
