import { join } from "node:path";
import type { Policy } from "../contract/policy.ts";
import { fileState } from "../lib/files/file-state.ts";
import { compiledPolicy, policyFiles } from "./hook-context.ts";

/** The current policy of a workspace. */
export interface LivePolicy {
  /** Reloads the policy if a file has changed. */
  readonly refresh: (workspace: string) => Promise<void>;
  /** Throws when the current files are not a valid policy; the call is then denied. */
  readonly policyFor: (workspace: string) => Policy;
}

type Known = { readonly state: string } & ({ readonly policy: Policy } | { readonly failure: unknown });

/** Uses the compiled form while it is current. The YAML parser is only loaded after a file has changed. */
export function livePolicy(folder: string): LivePolicy {
  const known = new Map<string, Known>();
  return {
    async refresh(workspace) {
      const state = policyState(folder, workspace);
      if (known.get(workspace)?.state === state) return;
      try {
        known.set(workspace, { state, policy: await currentPolicy(folder, workspace) });
      } catch (failure) {
        known.set(workspace, { state, failure });
      }
    },
    policyFor(workspace) {
      const entry = known.get(workspace);
      if (entry === undefined) return compiledPolicy(folder, workspace);
      if ("failure" in entry) throw entry.failure;
      return entry.policy;
    },
  };
}

/** The policy of a workspace, recompiled first if its files have changed. */
export async function currentPolicy(folder: string, workspace: string): Promise<Policy> {
  try {
    return compiledPolicy(folder, workspace);
  } catch {
    const { compilePolicy } = await import("../guard/policy/active-policy.ts");
    return compilePolicy(folder, workspace);
  }
}

/** Changes with every file that the policy of a workspace is made from. */
export const policyState = (folder: string, workspace: string) =>
  [...policyFiles(folder, workspace), join(folder, "trust.json")].map(fileState).join(" ");
