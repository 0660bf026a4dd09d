import { dirname } from "node:path";
import { loadActivePolicy } from "../guard/policy/active-policy.ts";
import { compiledFile, writeCompiled } from "../guard/policy/compiled-policy.ts";
import type { Policy } from "../contract/policy.ts";
import { atomicWrite } from "../lib/atomic-write.ts";
import { makeFolder } from "../lib/make-folder.ts";

/** Loads the policy files and leaves the compiled form for the bundle, which cannot read YAML. */
export function compilePolicy(folder: string, workspaceRoot: string): Policy {
  const active = loadActivePolicy({ workspaceRoot, folder });
  const file = compiledFile(folder, workspaceRoot);
  makeFolder(dirname(file));
  atomicWrite(file, writeCompiled(active));
  return active.policy;
}
