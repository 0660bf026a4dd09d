import { join, relative } from "node:path";
import { isInside } from "../lib/inside.ts";

/**
 * The outermost folders between the home and these roots. In the private home nothing is in them but the way to the
 * roots, so a file written there (`../notes.txt`) would disappear without a word. Folders in which tools keep their
 * own files (`~/.cache`, `~/go`) are left out.
 */
export function betweenFolders(home: string, roots: readonly string[], shown: readonly string[]): readonly string[] {
  const found = roots
    .filter((root) => root !== home && isInside(root, home))
    .flatMap((root) => {
      const folders = relative(home, root).split("/").slice(0, -1);
      const first = outermost(folders);
      return first === 0 || first > folders.length ? [] : [join(home, ...folders.slice(0, first))];
    });
  const open = found.filter((folder) => ![...roots, ...shown].some((root) => isInside(folder, root)));
  return [...new Set(open)].filter((folder) => !open.some((other) => other !== folder && isInside(folder, other)));
}

/** How many of the folders' names lead to the first one that belongs to the user alone. */
function outermost([first = "", ...rest]: readonly string[]): number {
  if (first === "") return 0;
  if (first.startsWith(".")) return rest.length === 0 ? 0 : rest.length + 1;
  return first === "go" ? 2 : 1;
}
