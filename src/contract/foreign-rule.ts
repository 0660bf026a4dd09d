import type { Verdict } from "./verdict.ts";

/** One rule from an agent's own rules file, as `signalbox import` reads it. */
export interface ForeignRule {
  readonly verdict: Verdict;
  /** As its author wrote it, shortened. */
  readonly text: string;
  /** `FILE:LINE`. */
  readonly where: string;
  readonly subject: RuleSubject;
}

/** What a rule is about. `wider` says why the form here covers more than the rule does; no grant may have it. */
export type RuleSubject =
  | {
      readonly kind: "command";
      readonly argv: readonly (string | readonly string[])[];
      readonly exact: boolean;
      readonly wider?: string | undefined;
      /** Commands that the rule matches or does not, by its author or by its pattern. */
      readonly match: readonly string[];
      readonly notMatch: readonly string[];
    }
  | { readonly kind: "tool"; readonly name: string; readonly wider?: string | undefined }
  | {
      readonly kind: "path";
      readonly access: "read" | "write";
      readonly glob: string;
      readonly wider?: string | undefined;
      /** A path that the rule matches, relative to the workspace or to the home. */
      readonly sample?: string | undefined;
    }
  | { readonly kind: "host"; readonly host: string; readonly wider?: string | undefined }
  /** It cannot be taken. `isLost`: it restricts, or may. */
  | { readonly kind: "none"; readonly because: string; readonly isLost?: boolean };

/** The rules of some files. */
export interface ForeignRules {
  readonly rules: readonly ForeignRule[];
  /** The files that were read, with their texts. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** A call that both sides are asked about. */
export interface TriedCall {
  readonly tool: "Bash" | "Read" | "Write" | "WebFetch";
  /** The command, the path or the address. */
  readonly target: string;
  /** The words of a command without shell syntax. */
  readonly argv?: readonly string[] | undefined;
}

/** What the agent says about a call; `none`: none of its rules does. Undefined when it could not be asked. */
export type ForeignVerdict = Verdict | "none" | undefined;
