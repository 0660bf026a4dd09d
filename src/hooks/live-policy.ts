import { statSync } from "node:fs";
import { join } from "node:path";
import type { Policy } from "../contract/policy.ts";
import { compiledPolicy, policyFiles } from "./compiled-policy.ts";

/** The policy of a workspace as its files are now. */
export interface LivePolicy {
  /** Looks whether a file changed, and reads it anew. */
  readonly refresh: (workspace: string) => Promise<void>;
  /** Throws when the files, as they are, make no policy: the call is then denied. */
  readonly policyFor: (workspace: string) => Policy;
}

type Known = { readonly state: string } & ({ readonly policy: Policy } | { readonly failure: unknown });

/** Reads the compiled form where it is current; only for a changed file is the reader of YAML loaded. */
export function livePolicy(folder: string): LivePolicy {
  const known = new Map<string, Known>();
  return {
    async refresh(workspace) {
      const state = stateOf([...policyFiles(folder, workspace), join(folder, "trust.json")]);
      if (known.get(workspace)?.state === state) return;
      try {
        known.set(workspace, { state, policy: await currentPolicy(folder, workspace) });
      } catch (failure) {
        known.set(workspace, { state, failure });
      }
    },
    policyFor(workspace) {
      const found = known.get(workspace);
      if (found === undefined) return compiledPolicy(folder, workspace);
      if ("failure" in found) throw found.failure;
      return found.policy;
    },
  };
}

/** The policy of a workspace, compiled first when its files have changed. */
export async function currentPolicy(folder: string, workspace: string): Promise<Policy> {
  try {
    return compiledPolicy(folder, workspace);
  } catch {
    const { compilePolicy } = await import("../guard/policy/active-policy.ts");
    return compilePolicy(folder, workspace);
  }
}

function stateOf(paths: readonly string[]): string {
  return paths
    .map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }))
    .map((stat) => (stat === undefined ? "-" : [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(":")))
    .join(" ");
}
