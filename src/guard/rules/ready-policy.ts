import { realIfThere } from "../../lib/path/real-path.ts";
import { FLOOR_ASK_WRITE, FLOOR_DENY_READ, FLOOR_DENY_WRITE } from "./floors.ts";
import { compileGlob, covers, isWild, type PathGlob } from "../../lib/path/glob.ts";
import type { HostPattern } from "../../lib/net/host-pattern.ts";
import type { Policy, Rule } from "../../contract/policy.ts";
import { compileHosts } from "./host-lists.ts";

/**
 * A policy with compiled patterns, cached per policy. A pattern that does not compile throws when it is first needed.
 */
export interface ReadyPolicy {
  readonly policy: Policy;
  readonly denyRead: readonly GlobList[];
  readonly denyWrite: readonly GlobList[];
  /** Paths that need approval before they are written. */
  readonly askWrite: GlobList;
  readonly allowHosts: readonly HostPattern[];
  readonly denyHosts: readonly HostPattern[];
  /** Rules by the first token they can match; `*` has those that match any first token. */
  readonly rules: ReadonlyMap<string, readonly Rule[]>;
}

export interface GlobList {
  readonly name: string;
  readonly globs: readonly PathGlob[];
  /** Indexes into `globs`, keeping the last one. Here: entries for one plain name anywhere, by that name. */
  readonly names: ReadonlyMap<string, number>;
  /** Entries without a wildcard, by path. */
  readonly prefixes: ReadonlyMap<string, number>;
  /** All other entries, last first, each with a name that a path must contain to match. */
  readonly others: readonly { readonly index: number; readonly glob: PathGlob; readonly needs: string | undefined }[];
}

function globList(name: string, globs: readonly PathGlob[]): GlobList {
  const names = new Map<string, number>();
  const prefixes = new Map<string, number>();
  const others: GlobList["others"][number][] = [];
  globs.forEach((glob, index) => {
    if (glob.prefix !== undefined) prefixes.set(glob.prefix, index);
    else if (glob.name !== undefined && !isWild(glob.name)) names.set(glob.name, index);
    else others.unshift({ index, glob, needs: glob.segments.findLast((segment) => !isWild(segment)) });
  });
  return { name, globs, names, prefixes, others };
}

const READY = new WeakMap<Policy, ReadyPolicy>();

export function ready(policy: Policy): ReadyPolicy {
  const known = READY.get(policy);
  if (known !== undefined) return known;
  const made = makeReady(policy);
  READY.set(policy, made);
  return made;
}

/** Each list is compiled when first needed: a hook judges one call, and most calls need only a few lists. */
function makeReady(policy: Policy): ReadyPolicy {
  const place = { root: policy.workspaceRoot, home: policy.home };
  const list = (name: string, sources: readonly string[]): GlobList =>
    globList(
      name,
      sources
        .flatMap((source) => withOwnFolder(source, policy.workspaceRoot))
        .map((source) => compileGlob(source, place)),
    );
  const denyRead = once(() => [list("floor:read", FLOOR_DENY_READ), list("deny_read", policy.paths.denyRead)]);
  const denyWrite = once(() => [list("floor:write", FLOOR_DENY_WRITE), list("deny_write", policy.paths.denyWrite)]);
  const askWrite = once(() => list("floor:instructions", FLOOR_ASK_WRITE));
  const allowHosts = once(() => compileHosts(policy.network.allow));
  const denyHosts = once(() => compileHosts(policy.network.deny));
  return {
    policy,
    get denyRead() {
      return denyRead();
    },
    get denyWrite() {
      return denyWrite();
    },
    get askWrite() {
      return askWrite();
    },
    get allowHosts() {
      return allowHosts();
    },
    get denyHosts() {
      return denyHosts();
    },
    rules: indexRules(policy.rules),
  };
}

const OWN = "~/.signalbox";

/**
 * What holds for signalbox's own folder holds wherever `SIGNALBOX_HOME` puts it. Only the sandbox is tried in there
 * (sandbox-trial.ts).
 */
function withOwnFolder(source: string, workspace: string): readonly string[] {
  const { SIGNALBOX_HOME: folder = "" } = process.env;
  if (folder === "" || !source.startsWith(`${OWN}/`)) return [source];
  const own = [folder, realIfThere(folder)];
  if (own.some((path) => workspace.startsWith(`${path}/trial-`))) return [source];
  // A name cannot be quoted in a pattern.
  const places = own.map((path) => path.replaceAll(/[*?[]/g, "?"));
  return [source, ...new Set(places.map((path) => path + source.slice(OWN.length)))];
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function indexRules(rules: readonly Rule[]): ReadonlyMap<string, readonly Rule[]> {
  const index = new Map<string, Rule[]>();
  for (const rule of rules) {
    const [first] = rule.argv;
    const names = first === undefined ? ["*"] : typeof first === "string" ? [first] : first;
    for (const name of names) {
      // Restricting rules are looked up by the program's last name, whatever path leads to it.
      const last = rule.verdict === "allow" ? name : (name.split("/").at(-1) ?? name);
      const key = last.includes("*") ? "*" : last.toLowerCase();
      const known = index.get(key);
      if (known === undefined) index.set(key, [rule]);
      else known.push(rule);
    }
  }
  return index;
}

/** The last entry that matches a path decides. Returns its source if it denies. */
export function deniedBy(list: GlobList, path: string): string | undefined {
  const parts = path.split("/");
  let last = list.prefixes.get("/") ?? -1;
  let here = "";
  for (let at = 1; at < parts.length; at++) {
    const part = parts[at] ?? "";
    here += `/${part}`;
    last = Math.max(last, list.names.get(part) ?? -1, list.prefixes.get(here) ?? -1);
  }
  const other = list.others.find(
    ({ index, glob, needs }) => index < last || ((needs === undefined || parts.includes(needs)) && covers(glob, path)),
  );
  const decides = list.globs[Math.max(last, other?.index ?? -1)];
  return decides === undefined || decides.lifts ? undefined : decides.source;
}
