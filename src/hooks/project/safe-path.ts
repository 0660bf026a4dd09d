import { realpathSync } from "node:fs";
import { delimiter, isAbsolute } from "node:path";
import { isInside } from "../../lib/inside.ts";

/** PATH without folders that the agent may write: a planted `python3` would be run by a trusted script. */
export function safePath(env: NodeJS.ProcessEnv, workspace: string): string {
  const folders = (env["PATH"] ?? "").split(delimiter);
  const kept = folders.filter((folder) => isAbsolute(folder) && !leadsInto(folder, workspace));
  return kept.length === 0 ? "/usr/bin:/bin" : kept.join(delimiter);
}

function leadsInto(folder: string, workspace: string): boolean {
  if (isInside(folder, workspace)) return true;
  try {
    return isInside(realpathSync(folder), workspace);
  } catch {
    // What is not there now could be made later, by whoever may write there.
    return true;
  }
}
