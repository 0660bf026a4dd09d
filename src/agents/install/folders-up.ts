import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { gitTop } from "../../lib/git-top.ts";

/**
 * Folders whose settings an agent may read: the one it is started in, all above it except the user's home, the workspace,
 * and the main work tree of a linked one. A nested `.git` does not end the search: the repository could plant it.
 */
export function foldersUp(cwd: string, workspace: string): readonly string[] {
  const folders = new Set([workspace]);
  for (let folder = realpathSync(cwd); ; folder = dirname(folder)) {
    if (folder !== realHome()) folders.add(folder);
    if (folder === dirname(folder)) break;
  }
  const common = gitTop(realpathSync(cwd))?.commonFolder;
  if (common !== undefined) folders.add(dirname(common));
  return [...folders];
}

function realHome(): string {
  try {
    return realpathSync(homedir());
  } catch {
    return homedir();
  }
}
