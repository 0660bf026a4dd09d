import { parseHostPattern } from "../network/host-pattern.ts";
import type { Verdict } from "../verdict.ts";
import type { Policy, Rule } from "./policy.ts";

/** A policy as test corpora write it: argv prefixes as text. Every field may be missing. */
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
  readonly network?: { readonly mode?: Policy["network"]["mode"]; readonly allow?: readonly string[]; readonly deny?: readonly string[]; readonly schemes?: readonly string[]; readonly ports?: readonly number[]; readonly block_private?: boolean };
  readonly default?: Verdict;
  readonly interactive?: boolean;
}

/** Compiles a corpus policy into the internal form. Throws on an entry that does not compile. */
export function compileCorpusPolicy(source: CorpusPolicy): Policy {
  const root = source.workspace_root ?? "/srv/repo";
  const tools = source.allowed_tools ?? [];
  const network = source.network ?? {};
  for (const entry of [...(network.allow ?? []), ...(network.deny ?? [])]) parseHostPattern(entry);
  return {
    version: 1,
    id: source.id ?? "unnamed",
    workspaceRoot: root,
    home: source.home ?? "/home/dev",
    rules: [...rules(source.deny ?? [], "deny"), ...rules(source.ask ?? [], "ask"), ...rules(source.allow ?? [], "allow")],
    tools: { allow: tools, deny: source.disallowed_tools ?? [], ask: source.require_approval_for ?? [], otherwise: tools.length > 0 ? (source.default ?? "deny") : undefined },
    paths: {
      readRoots: source.read_roots ?? [root],
      writeRoots: source.write_roots ?? [root],
      denyRead: source.deny_read ?? [],
      denyWrite: source.deny_write ?? [],
      outside: source.outside_workspace ?? "ask",
      outsideForTools: source.outside_workspace ?? (tools.length > 0 || source.default === "deny" ? "deny" : "ask"),
    },
    network: {
      mode: network.mode ?? "none",
      allow: network.allow ?? [],
      deny: network.deny ?? [],
      schemes: network.schemes ?? ["https", "http"],
      ports: network.ports ?? [],
      blockPrivate: network.block_private ?? true,
    },
    fallback: source.default ?? "ask",
    interactive: source.interactive ?? true,
    sandbox: "off",
  };
}

/** `git log*` is a prefix at a token boundary, `git log` is exact, `*` is everything. */
function rules(entries: readonly string[], verdict: Verdict): readonly Rule[] {
  return entries.map((entry) => {
    const argv = entry.replace(/\*$/, "").split(" ").filter((token) => token !== "");
    const because = verdict === "allow" ? `the policy allows ${entry}` : verdict === "ask" ? `the policy asks about ${entry}` : `the policy denies ${entry}`;
    return { id: `${verdict}:${entry}`, source: "corpus", verdict, argv, exact: !entry.endsWith("*"), because };
  });
}
