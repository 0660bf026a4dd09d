import type { AgentName } from "../../contract/agent.ts";

/** Whom a change is for, so that what is missing can be named. */
export interface Purpose {
  readonly agent: AgentName;
  readonly surface: "hooks" | "agents" | "skills" | "commands" | "instructions" | "mcp";
  /** For hooks: the agent's own name of the event. */
  readonly event?: string | undefined;
}

/** A file that is ours from the first byte to the last. */
export interface OwnFile {
  readonly kind: "file";
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly executable: boolean;
  /** Words by which a file is known as ours where the list of staged files was lost. */
  readonly mark?: string;
  readonly purpose: Purpose;
}

/** Lines of ours between two markers, in a file that may be somebody else's. */
export interface BlockAddition {
  readonly kind: "block";
  readonly path: string;
  readonly comment: "html" | "hash";
  readonly text: string;
  readonly purpose: Purpose;
}

/** One value of ours in a JSON file that may be somebody else's: an element of an array, or with `key` a property. */
interface EntryAddition {
  readonly kind: "entry";
  readonly path: string;
  readonly at: readonly string[];
  readonly key?: string | undefined;
  readonly value: unknown;
  readonly purpose: Purpose;
}

export type Addition = BlockAddition | EntryAddition;

/** One thing that a stage puts into a repository. */
export type Change = OwnFile | Addition;
