import { homedir } from "node:os";
import { join } from "node:path";
import { readCompiled, MANAGED_POLICY, workspacePolicy } from "../guard/policy/compiled-policy.ts";
import type { Policy } from "../contract/policy.ts";

/** The policy files that would count in a workspace. */
export const policyFiles = (folder: string, workspace: string) => [
  MANAGED_POLICY,
  join(folder, "policy.yaml"),
  workspacePolicy(workspace),
];

/** The policy of a workspace in the form that needs no YAML. Throws when its files are not compiled as they are now. */
export function compiledPolicy(folder: string, workspaceRoot: string): Policy {
  return readCompiled({ folder, workspaceRoot, home: homedir(), candidates: policyFiles(folder, workspaceRoot) });
}
