import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { isInside } from "../../lib/inside.ts";

/** The folders from the workspace down to the one an agent starts in. */
export function foldersDown(cwd: string, workspace: string): readonly string[] {
  const here = realpathSync(cwd);
  if (!isInside(here, workspace)) return [workspace];
  const folders = [here];
  for (let folder = here; folder !== workspace; folder = dirname(folder)) folders.unshift(dirname(folder));
  return folders;
}
