import { homedir } from "node:os";
import { join } from "node:path";
import { readCompiled, MANAGED_POLICY, workspacePolicy } from "../guard/policy/compiled-policy.ts";
import type { Policy } from "../contract/policy.ts";

/** The policy files that apply in a workspace. */
export const policyFiles = (folder: string, workspace: string) => [
  MANAGED_POLICY,
  join(folder, "policy.yaml"),
  workspacePolicy(workspace),
];

/** The compiled policy of a workspace, which needs no YAML parser. Throws when it is missing or out of date. */
export function compiledPolicy(folder: string, workspaceRoot: string): Policy {
  return readCompiled({ folder, workspaceRoot, home: homedir(), candidates: policyFiles(folder, workspaceRoot) });
}
