import { isRecord, strings } from "../../lib/is-record.ts";
import type { Verdict } from "../../contract/verdict.ts";
import type { CorpusPolicy } from "./compile-corpus.ts";

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
