import { existsSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "./inside.ts";

const SYSTEM = /^\/(?:etc|usr|bin|sbin|lib|lib64|boot|dev|proc|sys|run)(?:\/|$)/;

/**
 * Why a folder cannot be a workspace, or undefined. Read and write permissions are relative to the workspace,
 * so an agent in `/` would get them for everything.
 */
export function unsafeWorkspace(root: string, home: string): string | undefined {
  const holdsHome = root === "/" || isInside(home, root);
  if (!SYSTEM.test(root) && (!holdsHome || (root !== "/" && existsSync(join(root, ".git"))))) return undefined;
  return `${root} is not a workspace: start the agent in a project folder`;
}
