import type { AgentName } from "../../contract/agent.ts";

/** What a change is for, so that anything missing can be reported by name. */
export interface Purpose {
  /** Missing for what serves all of them. */
  readonly agent?: AgentName | undefined;
  readonly surface: "hooks" | "agents" | "skills" | "commands" | "instructions" | "mcp" | "xpia";
  /** For hooks: the agent's own name for the event. */
  readonly event?: string | undefined;
}

/** A file that is entirely ours. */
export interface OwnFile {
  readonly kind: "file";
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly executable: boolean;
  /** Text that identifies the file as ours if the manifest was lost. */
  readonly mark?: string;
  readonly purpose: Purpose;
}

/** Our lines between two markers, which are comments of this kind. */
export interface MarkedBlock {
  readonly comment: "html" | "hash";
  readonly text: string;
}

/** Such lines in a file that may belong to someone else. */
interface BlockAddition extends MarkedBlock {
  readonly kind: "block";
  readonly path: string;
  readonly purpose: Purpose;
}

/** Our value in a JSON file that may belong to someone else: an array element, or a property if `key` is set. */
interface EntryAddition {
  readonly kind: "entry";
  readonly path: string;
  readonly at: readonly string[];
  readonly key?: string | undefined;
  readonly value: unknown;
  readonly purpose: Purpose;
}

export type Addition = BlockAddition | EntryAddition;

/** One thing that staging puts into a repository. */
export type Change = OwnFile | Addition;

/** Committed with the repository, so that anyone who clones it can check and unstage what is staged. */
export const MANIFEST_PATH = ".signalbox/staged.json";
