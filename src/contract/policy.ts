import type { Verdict } from "./verdict.ts";

/** The one internal form of every policy: plain data, so that it can be written as JSON and read by the small bundle. */
export interface Policy {
  readonly version: 1;
  readonly id: string;
  /** What the audit log calls it; computed from the rest when it is missing. */
  readonly hash?: string | undefined;
  readonly workspaceRoot: string;
  readonly home: string;
  readonly rules: readonly Rule[];
  readonly tools: ToolLists;
  readonly paths: PathLists;
  readonly network: NetworkLists;
  /** For a command that no rule knows. */
  readonly fallback: Verdict;
  /** Nobody can be asked: `ask` becomes `deny`. */
  readonly interactive: boolean;
  readonly sandbox: "off" | "workspace" | "strict";
}

/** A token pattern over argv. */
export interface Rule {
  readonly id: string;
  readonly source: string;
  readonly verdict: Verdict;
  /** One token each, or alternatives for it. */
  readonly argv: readonly (string | readonly string[])[];
  /** The argv has no further tokens. */
  readonly exact: boolean;
  readonly because: string;
}

interface ToolLists {
  /** Names or globs. With any entry, tools outside the list get `otherwise`. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly ask: readonly string[];
  readonly otherwise: Verdict | undefined;
}

export interface PathLists {
  readonly readRoots: readonly string[];
  readonly writeRoots: readonly string[];
  /** Globs; `!` lifts an earlier entry. */
  readonly denyRead: readonly string[];
  readonly denyWrite: readonly string[];
  /** Outside the roots: for programs, and for tools that take a path. */
  readonly outside: Verdict;
  readonly outsideForTools: Verdict;
}

export interface NetworkLists {
  readonly mode: "none" | "allowlist" | "any";
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly schemes: readonly string[];
  /** Ports for entries that name none; empty means the usual port of the scheme. */
  readonly ports: readonly number[];
  readonly blockPrivate: boolean;
  /** For a host that an allow list does not name. */
  readonly unlisted: Verdict;
}

/** What is done with a path. */
export type PathAccess = "read" | "write" | "delete";
