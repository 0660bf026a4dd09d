import { loadActivePolicy, loadNamedPolicy, readPreset } from "../guard/policy/active-policy.ts";
import type { ActivePolicy } from "../guard/policy/compiled-policy.ts";
import { withoutRecipes } from "../guard/policy/compiled-policy.ts";
import type { Policy } from "../contract/policy.ts";
import { currentFolder, findWorkspace } from "../lib/path/workspace.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { readBoundedText } from "../lib/files/read-file.ts";
import { UserError } from "../lib/text/user-error.ts";

/**
 * The policy that the flags select: `--policy FILE` (treated as the user's own), or else the one in effect in this
 * folder.
 */
export function chosenPolicy(flags: Readonly<Record<string, unknown>>, cwd: string = currentFolder()): ActivePolicy {
  const preset = readPreset(flags["preset"]);
  const workspaceRoot = findWorkspace(cwd);
  const { policy: path } = flags;
  if (typeof path !== "string") return loadActivePolicy({ workspaceRoot, folder: signalboxHome(), preset });
  return loadNamedPolicy(path, readText(path), workspaceRoot, preset);
}

/**
 * The policy of a session that these flags start. With a policy of its own it starts no recipes unasked, because those
 * would be judged by the one in effect.
 */
export function sessionPolicy(flags: Readonly<Record<string, unknown>>, cwd?: string): Policy {
  const { policy } = chosenPolicy(flags, cwd);
  return flags["policy"] === undefined && flags["preset"] === undefined ? policy : withoutRecipes(policy);
}

const MAX_BYTES = 1024 * 1024;

/** The text of a file named by the user. */
export function readText(path: string): string {
  try {
    return readBoundedText(path, MAX_BYTES);
  } catch (error) {
    throw new UserError(`${path} cannot be read`, {
      where: path,
      fix: "pass a file that exists and is readable",
      cause: error,
    });
  }
}
