import * as z from "zod";
import type { HeldPart } from "./agent-call.ts";
import type { Verdict } from "./verdict.ts";

/**
 * The internal form of every policy: plain data, so that it can be stored as JSON and read by the small hook bundle.
 */
export interface Policy {
  readonly version: 1;
  readonly id: string;
  /** Its name in the audit log; computed from the other fields when missing. */
  readonly hash?: string | undefined;
  readonly workspaceRoot: string;
  readonly home: string;
  readonly rules: readonly Rule[];
  readonly tools: ToolLists;
  readonly paths: PathLists;
  readonly network: NetworkLists;
  /** For a command that no rule matches. */
  readonly fallback: Verdict;
  /** Whether a person can be asked. If not, `ask` becomes `deny`. */
  readonly interactive: boolean;
  /** `auto`: `workspace` where the sandbox is proven on this machine, otherwise none. */
  readonly sandbox: "auto" | "off" | "workspace" | "strict";
  /** Whether the weaker form of the sandbox will do. By default only for `auto`; `strict` never takes it. */
  readonly landlock?: "allow" | "deny" | undefined;
  /** What commands in the sandbox may use together, where it is not the default. Sizes are in bytes. */
  readonly limits?: Partial<Record<LimitName, number>> | undefined;
  /** Folders in which repositories that commands create keep settings and hooks that run programs. */
  readonly newRepositories?: readonly string[] | undefined;
  /** Names of variables that commands in the sandbox get although they look like credentials. */
  readonly passVariables?: readonly string[] | undefined;
  /** Files that were found and whose grants do not count, because the user does not trust them. */
  readonly ignored?: readonly IgnoredFile[] | undefined;
}

type LimitName = "memory" | "processes" | "tmp";

/** What a policy file adds to what is allowed. */
export interface Grants {
  /** The origin of the file, as in `Rule.source`. */
  readonly source: string;
  readonly rules: readonly Rule[];
  readonly readRoots?: readonly string[] | undefined;
  readonly writeRoots?: readonly string[] | undefined;
  readonly networkMode?: NetworkLists["mode"] | undefined;
  readonly hosts: readonly string[];
  readonly tools: readonly string[];
  readonly sandbox?: Policy["sandbox"] | undefined;
  readonly landlock?: Policy["landlock"];
  readonly limits?: Policy["limits"];
  readonly passVariables: readonly string[];
  readonly newRepositories: readonly string[];
}

interface IgnoredFile {
  readonly file: string;
  /** It was trusted before, with another content. */
  readonly changed: boolean;
  readonly grants: Grants;
}

/** A token pattern over argv. */
export interface Rule {
  readonly id: string;
  readonly source: string;
  readonly verdict: Verdict;
  /** Each a token or a list of alternatives. */
  readonly argv: readonly (string | readonly string[])[];
  /** The argv has no further tokens. */
  readonly exact: boolean;
  /** A grant only for a whole line that begins with these very words and has no shell syntax. */
  readonly asWritten?: true | undefined;
  readonly because: string;
  /** False for a command that runs outside the sandbox when it is allowed. */
  readonly contained?: false | undefined;
  /** Hosts, `NAME:PORT`, that this one command may reach although `network.allow` does not list them. */
  readonly hosts?: readonly string[] | undefined;
  /**
   * The rule does not count for a command in a sandbox where all of these hold; `recoverable`: the workspace could be
   * restored. For presets only.
   */
  readonly unless?: readonly (HeldPart | "recoverable")[] | undefined;
}

interface ToolLists {
  /** Names or globs. If there are any, tools not listed get `otherwise`. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly ask: readonly string[];
  readonly otherwise: Verdict | undefined;
}

export interface PathLists {
  readonly readRoots: readonly string[];
  readonly writeRoots: readonly string[];
  /** Globs; `!` negates an earlier entry. */
  readonly denyRead: readonly string[];
  readonly denyWrite: readonly string[];
  /** Outside the roots: for programs, and for tools that take a path. */
  readonly outside: Verdict;
  readonly outsideForTools: Verdict;
}

export interface NetworkLists {
  readonly mode: "none" | "allowlist" | "any";
  readonly allow: readonly string[];
  /** Of `allow` the hosts that a person listed by name, who may therefore have private addresses. */
  readonly named?: readonly string[] | undefined;
  readonly deny: readonly string[];
  readonly schemes: readonly string[];
  /** Ports for entries that don't name one; empty means the scheme's default port. */
  readonly ports: readonly number[];
  readonly blockPrivate: boolean;
  /** For a host that is not on the allow list. */
  readonly unlisted: Verdict;
}

/** What a call does with a path. */
export type PathAccess = "read" | "write" | "delete";

const RuleVerdict = z.enum(["allow", "ask", "deny"]);

const Token = z.string().min(1).max(500);

/** A rule over argv: one token or a list of alternatives per position. Further arguments are allowed unless `exact`. */
export const PolicyRule = z.strictObject({
  id: z.string().regex(/^[\w.:-]{1,100}$/, "an id may only contain letters, digits and .:-_"),
  tool: z.literal("shell").default("shell"),
  argv: z.array(z.union([Token, z.array(Token).min(1)])).min(1, "a rule must name at least the program"),
  exact: z.boolean().default(false),
  as_written: z.literal(true).optional(),
  verdict: RuleVerdict,
  because: z.string().max(500).optional(),
  contained: z.literal(false).optional(),
  /** What this one command may reach, beside the hosts that every command may. */
  hosts: z.array(Token).max(20).optional(),
  match: z.array(z.string()).default([]),
  not_match: z.array(z.string()).default([]),
});

export type PolicyRule = z.infer<typeof PolicyRule>;

const Texts = z.array(z.string().min(1).max(1000)).max(10_000);

const SandboxLevel = z.enum(["auto", "off", "workspace", "strict"]);

/** With a unit, because a bare number could be bytes or megabytes. */
const Size = z
  .string()
  .regex(/^[1-9]\d{0,6}[MG]$/, "a size is a whole number of megabytes or gigabytes, like 512M or 8G");

const SandboxLimits = z.strictObject({
  memory: Size.optional(),
  processes: z.int().min(16).max(1_000_000).optional(),
  tmp: Size.optional(),
});

/** A policy file. Unknown keys are rejected, because a partly understood policy cannot be enforced. */
export const PolicyFile = z.strictObject({
  version: z.literal(1),
  extends: z.enum(["default", "read-only", "ci", "none"]).optional(),
  rules: z.array(PolicyRule).max(20_000).default([]),
  paths: z
    .strictObject({
      read_roots: Texts.optional(),
      write_roots: Texts.optional(),
      deny_read: Texts.default([]),
      deny_write: Texts.default([]),
      new_repositories: Texts.default([]),
    })
    .optional(),
  network: z
    .strictObject({
      mode: z.enum(["none", "allowlist", "any"]).optional(),
      allow: Texts.default([]),
      deny: Texts.default([]),
    })
    .optional(),
  tools: z
    .strictObject({ allow: Texts.default([]), deny: Texts.default([]), require_approval_for: Texts.default([]) })
    .optional(),
  sandbox: z
    .union([
      SandboxLevel,
      z.strictObject({
        level: SandboxLevel.optional(),
        landlock: z.enum(["allow", "deny"]).optional(),
        limits: SandboxLimits.default({}),
      }),
    ])
    .optional(),
  env: z.strictObject({ pass: Texts.default([]) }).optional(),
});

export type PolicyFile = z.infer<typeof PolicyFile>;

/** A work order's policy. Unknown keys are rejected, because a rule we ignore is not enforced. */
export const OrderPolicy = z.strictObject({
  allowed_tools: Texts,
  disallowed_tools: Texts,
  deny_read: Texts,
  deny_write: Texts,
  allow_network: Texts,
  deny_network: Texts,
  require_approval_for: Texts,
});

export type OrderPolicy = z.infer<typeof OrderPolicy>;

/** The same, with optional lists, because a host reads orders written by others. */
export const LooseOrderPolicy = z.strictObject({
  allowed_tools: Texts.default([]),
  disallowed_tools: Texts.default([]),
  deny_read: Texts.default([]),
  deny_write: Texts.default([]),
  allow_network: Texts.default([]),
  deny_network: Texts.default([]),
  require_approval_for: Texts.default([]),
});
