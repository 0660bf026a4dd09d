import { mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadActivePolicy } from "../guard/policy/active-policy.ts";
import { compiledFile, writeCompiled } from "../guard/policy/compiled-policy.ts";
import type { Policy } from "../guard/policy/policy.ts";
import { atomicWrite } from "../lib/atomic-write.ts";
import { policyFiles } from "./compiled-policy.ts";

/** The policy of a workspace as its files are now. A file that was broken meanwhile throws, so the call is denied. */
export function livePolicy(folder: string): (workspace: string) => Policy {
  const known = new Map<string, { readonly state: string; readonly policy: Policy }>();
  return (workspace) => {
    const state = stateOf([...policyFiles(folder, workspace), join(folder, "trust.json")]);
    const before = known.get(workspace);
    if (before?.state === state) return before.policy;
    const policy = compilePolicy(folder, workspace);
    known.set(workspace, { state, policy });
    return policy;
  };
}

/** Loads the policy files and leaves the compiled form for the bundle, which cannot read YAML. */
export function compilePolicy(folder: string, workspaceRoot: string): Policy {
  const active = loadActivePolicy({ workspaceRoot, folder });
  const file = compiledFile(folder, workspaceRoot);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  atomicWrite(file, writeCompiled(active));
  return active.policy;
}

function stateOf(paths: readonly string[]): string {
  return paths
    .map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }))
    .map((stat) => (stat === undefined ? "-" : [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(":")))
    .join(" ");
}
