import type { Policy, Rule } from "../../contract/policy.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { compileHosts } from "../rules/host-lists.ts";

/** Checks the shape of a corpus policy. Throws if a field has the wrong type, rather than reading part of a list. */
export function readCorpusPolicy(source: unknown): CorpusPolicy {
  if (!isRecord(source)) throw new Error("a policy must be an object");
  const list = (key: string, from: Readonly<Record<string, unknown>> = source): readonly string[] | undefined => {
    if (from[key] === undefined) return undefined;
    const found = strings(from[key]);
    if (found === undefined) throw new Error(`${key} is not a list of strings`);
    return found;
  };
  const network = source["network"] === undefined ? undefined : readNetwork(source["network"], list);
  return dropUndefined({
    id: text(source["id"]),
    workspace_root: text(source["workspace_root"]),
    home: text(source["home"]),
    allow: list("allow"),
    ask: list("ask"),
    deny: list("deny"),
    allowed_tools: list("allowed_tools"),
    disallowed_tools: list("disallowed_tools"),
    require_approval_for: list("require_approval_for"),
    deny_read: list("deny_read"),
    deny_write: list("deny_write"),
    read_roots: list("read_roots"),
    write_roots: list("write_roots"),
    outside_workspace: verdict(source["outside_workspace"]),
    network,
    default: verdict(source["default"]),
    interactive: flag(source["interactive"]),
  });
}

type Listing = (key: string, from?: Readonly<Record<string, unknown>>) => readonly string[] | undefined;

function readNetwork(source: unknown, list: Listing): NonNullable<CorpusPolicy["network"]> {
  if (!isRecord(source)) throw new Error("network is not an object");
  const { mode, ports } = source;
  if (mode !== undefined && mode !== "none" && mode !== "allowlist" && mode !== "any")
    throw new Error("network.mode must be none, allowlist or any");
  if (ports !== undefined && !(Array.isArray(ports) && ports.every((port) => typeof port === "number")))
    throw new Error("network.ports is not a list of numbers");
  return dropUndefined({
    mode,
    allow: list("allow", source),
    deny: list("deny", source),
    schemes: list("schemes", source),
    ports,
    block_private: flag(source["block_private"]),
  });
}

function text(value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  throw new Error("expected a string");
}

function flag(value: unknown): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw new Error("expected true or false");
}

function verdict(value: unknown): Verdict | undefined {
  if (value === undefined || value === "allow" || value === "ask" || value === "deny") return value;
  throw new Error(`${JSON.stringify(value)} is not a verdict`);
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function dropUndefined<T extends object>(value: T): Present<T> {
  const present: Present<T> = {};
  return Object.assign(present, Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)));
}

/** A policy in the test corpora's format, with argv prefixes as text. Every field is optional. */
interface CorpusPolicy {
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
