import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The policy of an organisation, which the user cannot loosen. */
export const MANAGED_POLICY = "/etc/signalbox/policy.yaml";

export function workspacePolicy(root: string): string {
  return join(root, ".signalbox", "policy.yaml");
}

/** The folder that holds `.git` or `.signalbox`, from `start` upwards; `start` itself when none does. */
export function findWorkspace(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git")) || existsSync(join(folder, ".signalbox", "policy.yaml"))) return folder;
    if (dirname(folder) === folder) return start;
  }
}
