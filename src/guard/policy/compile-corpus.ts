import { compileHosts } from "../network/host-lists.ts";
import type { Verdict } from "../../contract/verdict.ts";
import type { Policy, Rule } from "../../contract/policy.ts";

/** A policy in the test corpora's format, with argv prefixes as text. Every field is optional. */
export interface CorpusPolicy {
  readonly id?: string;
  readonly workspace_root?: string;
  readonly cwd?: string;
  readonly home?: string;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly allowed_tools?: readonly string[];
  readonly disallowed_tools?: readonly string[];
  readonly require_approval_for?: readonly string[];
  readonly deny_read?: readonly string[];
  readonly deny_write?: readonly string[];
  readonly read_roots?: readonly string[];
  readonly write_roots?: readonly string[];
  readonly outside_workspace?: Verdict;
  readonly network?: {
    readonly mode?: Policy["network"]["mode"];
    readonly allow?: readonly string[];
    readonly deny?: readonly string[];
    readonly schemes?: readonly string[];
    readonly ports?: readonly number[];
    readonly block_private?: boolean;
  };
  readonly default?: Verdict;
  readonly interactive?: boolean;
}

const EMPTY = {
  id: "unnamed",
  workspace_root: "/srv/repo",
  home: "/home/dev",
  allow: [],
  ask: [],
  deny: [],
  allowed_tools: [],
  disallowed_tools: [],
  require_approval_for: [],
  deny_read: [],
  deny_write: [],
  interactive: true,
} as const;

/** Compiles a corpus policy into the internal form. Throws on an entry that does not compile. */
export function compileCorpusPolicy(source: CorpusPolicy): Policy {
  const full = { ...EMPTY, ...source };
  const listed = full.allowed_tools.length > 0;
  return {
    version: 1,
    id: full.id,
    workspaceRoot: full.workspace_root,
    home: full.home,
    rules: [...rules(full.deny, "deny"), ...rules(full.ask, "ask"), ...rules(full.allow, "allow")],
    tools: {
      allow: full.allowed_tools,
      deny: full.disallowed_tools,
      ask: full.require_approval_for,
      otherwise: listed ? (source.default ?? "deny") : undefined,
    },
    paths: {
      readRoots: source.read_roots ?? [full.workspace_root],
      writeRoots: source.write_roots ?? [full.workspace_root],
      denyRead: full.deny_read,
      denyWrite: full.deny_write,
      outside: source.outside_workspace ?? "ask",
      outsideForTools: source.outside_workspace ?? (listed || source.default === "deny" ? "deny" : "ask"),
    },
    network: compileNetwork(source.network ?? {}),
    fallback: source.default ?? "ask",
    interactive: full.interactive,
    sandbox: "off",
  };
}

const CLOSED = { mode: "none", allow: [], deny: [], schemes: ["https", "http"], ports: [], unlisted: "deny" } as const;

function compileNetwork(source: NonNullable<CorpusPolicy["network"]>): Policy["network"] {
  const { block_private: blockPrivate = true, ...rest } = source;
  const network = { ...CLOSED, ...rest, blockPrivate };
  compileHosts([...network.allow, ...network.deny]);
  return network;
}

/** `git log*` is a prefix that ends at a token boundary, `git log` is exact, `*` matches everything. */
function rules(entries: readonly string[], verdict: Verdict): readonly Rule[] {
  return entries.map((entry) => {
    const argv = entry
      .replace(/\*$/, "")
      .split(" ")
      .filter((token) => token !== "");
    const because =
      verdict === "allow"
        ? `the policy allows ${entry}`
        : verdict === "ask"
          ? `the policy asks about ${entry}`
          : `the policy denies ${entry}`;
    return { id: `${verdict}:${entry}`, source: "corpus", verdict, argv, exact: !entry.endsWith("*"), because };
  });
}
