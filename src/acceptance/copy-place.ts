import { mkdirSync, readdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ownerLife, ownFolder } from "../lib/folder-owner.ts";
import { removeTree } from "../lib/remove-tree.ts";

const PREFIX = "signalbox-check-";

interface CopyPlace extends Disposable {
  /** Where to make the copy. It has the name of the workspace, which some tools put into their output. */
  readonly folder: string;
}

/** A place for copies of a workspace, outside our home, where checks may not write. It is removed when disposed. */
export function openCopyPlace(id: string, root: string): CopyPlace {
  const place = join(realpathSync(tmpdir()), `${PREFIX}${id}`);
  removeTree(place);
  mkdirSync(place, { mode: 0o700 });
  const owned = ownFolder(place);
  return {
    folder: join(place, basename(root) || "workspace"),
    [Symbol.dispose]() {
      owned[Symbol.dispose]();
      removeTree(place);
    },
  };
}

/** Removes the copies of processes that were killed. */
export function removeLeftCopies(): void {
  const folder = realpathSync(tmpdir());
  for (const name of readdirSync(folder).filter((each) => each.startsWith(PREFIX))) {
    try {
      if (ownerLife(join(folder, name)) === "dead") removeTree(join(folder, name));
    } catch {
      // Another user's.
    }
  }
}
