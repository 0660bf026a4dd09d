import { readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { realIfThere } from "../../lib/path/real-path.ts";
import { gitTop } from "../../lib/path/workspace.ts";
import { isInside } from "../../lib/path/inside.ts";

/**
 * Folders whose settings an agent may read: the one it is started in, all above it except the user's home, the workspace,
 * and the main work tree of a linked one. A nested `.git` does not end the search: the repository could plant it.
 */
export function foldersUp(cwd: string, workspace: string): readonly string[] {
  const folders = new Set([workspace]);
  const home = realIfThere(homedir());
  for (let folder = realpathSync(cwd); ; folder = dirname(folder)) {
    if (folder !== home) folders.add(folder);
    if (folder === dirname(folder)) break;
  }
  const common = gitTop(realpathSync(cwd))?.commonFolder;
  if (common !== undefined) folders.add(dirname(common));
  return [...folders];
}

/** The folders from the workspace down to the one an agent starts in. */
export function foldersDown(cwd: string, workspace: string): readonly string[] {
  const here = realpathSync(cwd);
  if (!isInside(here, workspace)) return [workspace];
  const folders = [here];
  for (let folder = here; folder !== workspace; folder = dirname(folder)) folders.unshift(dirname(folder));
  return folders;
}

const MAX_ENTRIES = 4000;

/** All files below a folder, following links as agents do. Undefined when there are too many to read. */
export function filesBelow(top: string): readonly string[] | undefined {
  const files: string[] = [];
  const seen = new Set<string>();
  const queue = [top];
  let entries = 0;
  for (let index = 0; index < queue.length; index++) {
    const folder = queue[index] ?? "";
    const real = realFolder(folder);
    if (real === undefined || seen.has(real)) continue;
    seen.add(real);
    for (const name of readdirSync(real).toSorted()) {
      if (++entries > MAX_ENTRIES) return undefined;
      const path = join(folder, name);
      const kind = kindOf(path);
      if (kind === "folder") queue.push(path);
      else if (kind === "file") files.push(path);
    }
  }
  return files;
}

function realFolder(path: string): string | undefined {
  return kindOf(path) === "folder" ? realpathSync(path) : undefined;
}

/** What a path leads to. A dangling link is nothing; whatever is not a folder counts as a file. */
function kindOf(path: string): "file" | "folder" | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  return stat.isDirectory() ? "folder" : "file";
}
