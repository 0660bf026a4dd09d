import { existsSync, realpathSync } from "node:fs";
import type { Policy } from "../contract/policy.ts";
import { isWriteDenied } from "../guard/judge/judge-access.ts";
import { isInside } from "../lib/inside.ts";
import { PRIVATE_FOLDERS } from "../lib/private-folders.ts";
import { lexicalPath } from "../lib/real-path.ts";
import { EXIT, UserError } from "../lib/user-error.ts";

/** Those in which no folder of the machine is opened either. People do work below the temporary folders. */
const SYSTEM_FOLDERS = ["/dev", "/run", "/proc"];

/** The existing folders that the policy lets commands write, with their links resolved. */
export function writableRoots(policy: Policy): readonly string[] {
  const { home, workspaceRoot } = policy;
  const wanted = policy.paths.writeRoots
    .map((root) => lexicalPath(root === "~" || root.startsWith("~/") ? home + root.slice(1) : root, workspaceRoot))
    .filter((root) => !PRIVATE_FOLDERS.includes(root) && !SYSTEM_FOLDERS.some((folder) => isInside(root, folder)))
    .filter((root) => existsSync(root))
    .map((root) => realpathSync(root))
    .filter((root) => !isWriteDenied(root, policy));
  return [...new Set(wanted)].toSorted();
}

/** Throws a UserError for a folder that is so wide that a sandbox in which it is writable would protect nothing. */
export function refuseWide(folder: string, home: string): void {
  const holdsHome = folder !== home && isInside(home, folder);
  if (folder !== "/" && !holdsHome && !PRIVATE_FOLDERS.includes(folder)) return;
  throw new UserError(`a sandbox with ${folder} writable would protect nothing`, {
    where: "paths.write_roots of the policy, or the folder that you started in",
    fix: "work in a project folder, and list narrow write roots",
    exitCode: EXIT.refused,
  });
}
