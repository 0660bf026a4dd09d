import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { endTree, treeOf } from "./end-tree.ts";
import { ownerLife, ownFolder } from "./folder-owner.ts";
import { makeFolder } from "./make-folder.ts";

/** A folder of work is named by the mark that all processes of the work carry in their environment. */
const MARK = /^[0-9a-f]{32}(?=\.|$)/;

/** Writes down that processes with this mark are ours, so that somebody can end them should we be killed. */
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

/** Ends what is left of work whose owner is surely dead, and forgets that work. Returns how many processes were ended. */
export async function endLeftWork(parent: string): Promise<number> {
  let ended = 0;
  for (const name of namesIn(parent)) {
    const folder = join(parent, name);
    const id = MARK.exec(name)?.[0];
    // An owner removes its folder before it ends: one that is gone by now has ended well.
    if (id === undefined || ownerLife(folder) !== "dead" || !existsSync(folder)) continue;
    const found = treeOf({ id }).length;
    ended += found - (found === 0 ? 0 : (await endTree({ id })).length);
    remove(folder);
  }
  return ended;
}

/** On a disk that takes no writes it stays, and says nothing new to the next one. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Nothing depends on it.
  }
}

function namesIn(parent: string): readonly string[] {
  try {
    return readdirSync(parent);
  } catch {
    // Never made, or not ours to read: then nothing in it is ours to end.
    return [];
  }
}
