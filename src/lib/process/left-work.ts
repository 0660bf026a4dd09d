import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../files/folder-tree.ts";
import { endTree, treeOf } from "./end-tree.ts";
import { ownerLife, ownFolder } from "./folder-owner.ts";
import { makeFolder } from "../files/make-folder.ts";

/** A work folder is named after the mark that all processes of the work carry in their environment. */
export const MARK = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=\.|$)/;

/** Records that processes with this mark are ours, so that they can be ended if we are killed. */
export function markWork(parent: string, mark: string): Disposable {
  const folder = join(parent, mark);
  makeFolder(parent);
  mkdirSync(folder, { mode: 0o700 });
  const owned = ownFolder(folder);
  return {
    [Symbol.dispose]() {
      owned[Symbol.dispose]();
      remove(folder);
    },
  };
}

/**
 * Ends what remains of work whose owner is certainly dead, and removes its record. Returns how many processes were
 * ended.
 */
export async function endLeftWork(parent: string): Promise<number> {
  let ended = 0;
  for (const name of namesIn(parent)) {
    const folder = join(parent, name);
    const id = MARK.exec(name)?.[0];
    // An owner removes its folder before it ends, so one that is gone by now ended cleanly.
    if (id === undefined || ownerLife(folder) !== "dead" || !existsSync(folder)) continue;
    const found = treeOf({ id }).length;
    ended += found - (found === 0 ? 0 : (await endTree({ id })).length);
    remove(folder);
  }
  return ended;
}

/** On a read-only or full disk the record stays, which is harmless. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Nothing depends on it.
  }
}
