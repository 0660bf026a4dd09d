import { accessSync, constants } from "node:fs";
import { findProgram } from "../../lib/find-program.ts";
import { safePath } from "../../lib/safe-path.ts";

/** The ripgrep from our packages, or else one on PATH outside the workspace. */
export async function findRipgrep(workspace: string, path = process.env["PATH"] ?? ""): Promise<string> {
  const own = await ownRipgrep();
  const found = own !== undefined && runs(own) ? own : findProgram("rg", safePath({ PATH: path }, workspace));
  if (found !== undefined) return found;
  throw new Error(
    "ripgrep is missing: its package for this system was not installed (npm ci without --omit=optional), and there is no rg on PATH",
  );
}

async function ownRipgrep(): Promise<string | undefined> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    // Installed without optional packages.
    return undefined;
  }
}

function runs(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
