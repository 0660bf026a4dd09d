import type { HeldPart } from "../../contract/agent-call.ts";

/** What becomes of a reason against a command that runs in a sandbox. */
export type HeldRow =
  /** No question where all these parts are held. Denials stay unless `denials`. `files`: only in the whole form. */
  | { readonly kind: "held"; readonly by: readonly HeldPart[]; readonly denials?: true; readonly files?: true }
  /** Asked about or denied as outside. */
  | { readonly kind: "stays" }
  /** Held like other code, but asks where it could mean a command that a person's own rule restricts. */
  | { readonly kind: "reading" }
  /** Asks unless the workspace could be restored. */
  | { readonly kind: "loss" }
  /** Asks unless all could be restored that git does not ignore. */
  | { readonly kind: "git-loss" }
  /** Stays for what is named, and is held for what a pattern may match. */
  | { readonly kind: "pattern" }
  /** Asks for the one thing that the sandbox does not give. */
  | { readonly kind: "need" };

const STAYS: HeldRow = { kind: "stays" };
const READING: HeldRow = { kind: "reading" };
const LOSS: HeldRow = { kind: "loss" };
const PATTERN: HeldRow = { kind: "pattern" };
const NEED: HeldRow = { kind: "need" };
const held = (...by: readonly HeldPart[]): HeldRow => ({ kind: "held", by });

/** The parts that hold a program which can do anything. */
export const ANY_CODE: readonly HeldPart[] = ["disk", "secrets", "network"];
const CODE: HeldRow = { kind: "held", by: ANY_CODE };
const FILES = held("disk", "secrets");

/**
 * One row for each reason code of the judge. A code without a row stays, and a test fails. `allow` findings need no
 * row's answer; their codes are listed so that the table is complete.
 */
export const HELD_CODES: Readonly<Record<string, HeldRow>> = {
  // Which program it is, and what its options, operands and files make it do.
  "no-rule": { kind: "held", by: ANY_CODE, denials: true },
  "code-outside": CODE,
  "option-consequences": CODE,
  "option-unknown": CODE,
  "option-value": CODE,
  "operand-consequences": CODE,
  "operand-unknown": CODE,
  "value-unknown": CODE,
  "argument-file": CODE,
  subcommand: CODE,
  goal: CODE,
  "runs-program": CODE,
  "tool-by-path": CODE,
  toolchain: CODE,
  "inline-config": CODE,
  "build-property": CODE,
  "make-variable": CODE,
  environment: CODE,
  "foreign-code": CODE,
  "remote-package": CODE,
  installs: CODE,
  "opaque-content": CODE,
  "copies-tree": CODE,
  pager: CODE,
  "jq-filter": CODE,
  "jq-modules": CODE,
  "awk-program": CODE,
  "awk-runs": CODE,
  "awk-writes": CODE,
  "sed-script": CODE,
  "sed-runs": CODE,
  "sed-writes": CODE,
  "sed-backup": CODE,
  "find-writes": CODE,
  "git-opaque": CODE,
  "git-option": CODE,
  "git-submodule": CODE,
  "git-repository": CODE,
  "git-restores": CODE,
  "go-environment": FILES,
  crypto: FILES,

  // What the shell would run is not certain.
  unproven: READING,
  disagreement: READING,
  syntax: READING,
  function: READING,
  alias: READING,
  "program-unknown": READING,
  "program-letters": READING,
  "opaque-code": READING,
  subscript: READING,
  history: READING,
  "control-character": READING,
  encoding: READING,
  "too-much": READING,
  "shell-differs": READING,
  "shell-foreign": READING,
  "shell-option": READING,
  "shell-interactive": READING,
  "shell-start-file": READING,

  // Paths.
  "path-unknown": FILES,
  "path-text": FILES,
  "path-special": FILES,
  "path-denied-read": { kind: "held", by: ["secrets"], files: true },
  "path-denied-write": { kind: "held", by: ["disk"], files: true },
  "path-denied-delete": { kind: "held", by: ["disk"], files: true },
  "path-outside": NEED,
  "path-instructions": PATTERN,
  "path-root-delete": PATTERN,
  "path-mount": STAYS,

  // The network. The door judges every host that is only known at run time.
  "network-implied": held("network"),
  "network-unknown": held("network"),
  "network-archive": held("network"),
  "sends-unknown": held("network"),
  listens: held("network", "processes"),
  "network-unlisted": NEED,
  "network-lent": STAYS,
  "network-lookalike": STAYS,
  "network-url": STAYS,
  "network-scheme": STAYS,
  "network-none": STAYS,
  "network-denied": STAYS,
  "network-private": STAYS,
  "network-address": STAYS,
  "network-redirects": STAYS,
  network: STAYS,
  "other-host": STAYS,

  // Secrets, other processes, privileges.
  "secret-environment": held("secrets", "processes"),
  "secret-variable": NEED,
  "secret-store": STAYS,
  "secret-cluster": STAYS,
  persists: held("processes"),
  destroys: held("disk", "processes"),
  escalates: STAYS,
  opens: NEED,
  "needs-outside": NEED,

  // Settings that git would follow outside the sandbox later.
  "git-setting": NEED,
  "git-remote": NEED,
  "git-transport": STAYS,

  // Work that nothing else keeps.
  "throws-away": LOSS,
  "git-overwrites": { kind: "git-loss" },
  "find-deletes": LOSS,
  "find-empties": STAYS,
  "moves-out": LOSS,
  "git-force": LOSS,
  // The reflog has the old commits, and git does not start a rewrite over changed files.
  "git-rewrites": held(),
  "loses-work": STAYS,

  // Rules and tools: what a person or a preset says, except rules with `unless`.
  "rule-allow": STAYS,
  "rule-ask": STAYS,
  "rule-deny": STAYS,
  "rule-any": STAYS,
  "tool-name": STAYS,
  "tool-denied": STAYS,
  "tool-approval": STAYS,
  "tool-allowed": STAYS,
  "tool-unlisted": STAYS,
  "tool-unknown": STAYS,

  // The call itself.
  "shell-itself": STAYS,
  "no-command": STAYS,
  fields: STAYS,
  empty: STAYS,
  input: STAYS,
  injection: STAYS,
  taint: STAYS,
  unknown: STAYS,
  policy: STAYS,
  "policy-entry": STAYS,
  outside: STAYS,
  "outside-mixed": STAYS,
  "guard-failed": STAYS,
  "audit-failed": STAYS,
};
