import { homedir } from "node:os";
import { type ActivePolicy, loadActivePolicy } from "../guard/policy/active-policy.ts";
import { readPolicyFile } from "../guard/policy/load-policy.ts";
import { readPolicyText } from "../guard/policy/read-policy-text.ts";
import { mergePolicy } from "../guard/policy/merge-policy.ts";
import { findWorkspace } from "../guard/policy/workspace.ts";
import { PRESETS, type PresetName } from "../guard/presets/presets.ts";
import { currentFolder } from "../lib/current-folder.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { sha256 } from "../lib/sha256.ts";
import { UserError } from "../lib/user-error.ts";

/** The policy that the flags choose: `--policy FILE` as the user's own, else the one that holds in this folder. */
export function chosenPolicy(flags: Readonly<Record<string, unknown>>, cwd: string = currentFolder()): ActivePolicy {
  const preset = readPreset(flags["preset"]);
  const workspaceRoot = findWorkspace(cwd);
  const { policy: path } = flags;
  if (typeof path !== "string") return loadActivePolicy({ workspaceRoot, folder: signalboxHome(), preset });
  const text = readText(path);
  const file = readPolicyFile(text, path);
  const policy = mergePolicy([{ origin: "user", trusted: true, file }], { workspaceRoot, home: homedir(), preset });
  return { policy, files: [{ path, hash: sha256(text), trusted: true }] };
}

function readPreset(value: unknown): PresetName | undefined {
  if (value === undefined) return undefined;
  for (const name of ["default", "read-only", "ci", "none"] as const) if (name === value) return name;
  throw new UserError(`there is no preset ${JSON.stringify(value)}`, {
    where: "--preset",
    fix: `use one of: ${Object.keys(PRESETS).join(", ")}`,
  });
}

/** The text of a file that the user named. */
export function readText(path: string): string {
  try {
    return readPolicyText(path);
  } catch (error) {
    throw new UserError(`${path} cannot be read`, {
      where: path,
      fix: "give a file that exists and is readable",
      cause: error,
    });
  }
}
