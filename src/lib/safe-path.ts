import { realpathSync } from "node:fs";
import { delimiter, isAbsolute } from "node:path";
import { isInside } from "./inside.ts";

/**
 * PATH without relative folders and folders that a model may write to, where a planted `git` would run instead of the
 * real one.
 */
export function safePath(env: Readonly<Record<string, string | undefined>>, ...workspaces: readonly string[]): string {
  const roots = workspaces.flatMap((workspace) => [workspace, realPath(workspace) ?? workspace]);
  const kept = (env["PATH"] ?? "").split(delimiter).filter((folder) => {
    // A folder that does not exist now could be created later by anyone who may write there.
    const real = isAbsolute(folder) ? realPath(folder) : undefined;
    return real !== undefined && !roots.some((root) => isInside(folder, root) || isInside(real, root));
  });
  return kept.length === 0 ? "/usr/local/bin:/usr/bin:/bin" : kept.join(delimiter);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
