import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "../../lib/inside.ts";

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

const SYSTEM = /^\/(?:etc|usr|bin|sbin|lib|lib64|boot|dev|proc|sys|run)(?:\/|$)/;

/**
 * Why a folder cannot be a workspace, or undefined. What may be read and written is measured from it,
 * and an agent that walks up to `/` must not take its rights along.
 */
export function tooWide(root: string, home: string): string | undefined {
  const holdsHome = root === "/" || isInside(home, root);
  if (!SYSTEM.test(root) && (!holdsHome || (root !== "/" && existsSync(join(root, ".git"))))) return undefined;
  return `${root} is no workspace: start the agent in the folder of a project`;
}
