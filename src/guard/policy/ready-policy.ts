import { FLOOR_DENY_READ, FLOOR_DENY_WRITE } from "../paths/floors.ts";
import { compileGlob, type PathGlob } from "../paths/glob.ts";
import { type HostPattern, parseHostPattern } from "../network/host-pattern.ts";
import type { Policy, Rule } from "./policy.ts";

/** A policy with its patterns compiled. Made once per policy. */
export interface ReadyPolicy {
  readonly policy: Policy;
  readonly denyRead: readonly GlobList[];
  readonly denyWrite: readonly GlobList[];
  readonly allowHosts: readonly HostPattern[];
  readonly denyHosts: readonly HostPattern[];
  /** Rules by the first token they can start with; `*` holds those that start with anything. */
  readonly rules: ReadonlyMap<string, readonly Rule[]>;
}

export interface GlobList {
  readonly name: string;
  readonly globs: readonly PathGlob[];
}

const READY = new WeakMap<Policy, ReadyPolicy>();

/** Throws when a pattern does not compile: a policy that is half read is no policy. */
export function ready(policy: Policy): ReadyPolicy {
  const known = READY.get(policy);
  if (known !== undefined) return known;
  const made = makeReady(policy);
  READY.set(policy, made);
  return made;
}

function makeReady(policy: Policy): ReadyPolicy {
  const place = { root: policy.workspaceRoot, home: policy.home };
  const list = (name: string, sources: readonly string[]): GlobList => ({
    name,
    globs: sources.map((source) => compileGlob(source, place)),
  });
  return {
    policy,
    denyRead: [list("floor:read", FLOOR_DENY_READ), list("deny_read", policy.paths.denyRead)],
    denyWrite: [list("floor:write", FLOOR_DENY_WRITE), list("deny_write", policy.paths.denyWrite)],
    allowHosts: policy.network.allow.map((entry) => parseHostPattern(entry)),
    denyHosts: policy.network.deny.map((entry) => parseHostPattern(entry)),
    rules: indexRules(policy.rules),
  };
}

function indexRules(rules: readonly Rule[]): ReadonlyMap<string, readonly Rule[]> {
  const index = new Map<string, Rule[]>();
  for (const rule of rules) {
    const [first] = rule.argv;
    const names = first === undefined ? ["*"] : typeof first === "string" ? [first] : first;
    for (const name of names) {
      const key = name.toLowerCase();
      const known = index.get(key);
      if (known === undefined) index.set(key, [rule]);
      else known.push(rule);
    }
  }
  return index;
}
