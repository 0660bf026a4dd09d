import { delimiter, isAbsolute } from "node:path";
import { isInside } from "../../lib/inside.ts";

/** PATH without folders that the agent may write: a planted `python3` would be run by a trusted script. */
export function safePath(env: NodeJS.ProcessEnv, workspace: string): string {
  const folders = (env["PATH"] ?? "").split(delimiter);
  const kept = folders.filter((folder) => isAbsolute(folder) && !isInside(folder, workspace));
  return kept.length === 0 ? "/usr/bin:/bin" : kept.join(delimiter);
}
