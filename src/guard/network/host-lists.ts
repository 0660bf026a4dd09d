import type { NetworkLists } from "../../contract/policy.ts";
import { type HostPattern, parseHostPattern } from "../../lib/host-pattern.ts";
import { expandGroups } from "./host-groups.ts";

/** The part of a policy that decides about hosts, with its lists compiled. */
export interface HostLists {
  readonly policy: { readonly network: NetworkLists };
  readonly allowHosts: readonly HostPattern[];
  readonly denyHosts: readonly HostPattern[];
}

/** Compiles the entries of a host list, groups included. Throws with the reason for one that has no meaning. */
export function compileHosts(entries: readonly string[]): readonly HostPattern[] {
  return expandGroups(entries).map((entry) => parseHostPattern(entry));
}
