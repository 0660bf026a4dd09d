import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";

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
