import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Longer than the steps of a file system's clock, so that every later change gets another time. */
const SETTLED_MS = 50;
const MAX_TRIES = 4;

/**
 * Prepares to have another program open `real` by its name: waits until no folder between `root` and it is being
 * changed. The returned function throws if one was changed since. Without this, a command in the sandbox could put a
 * link in its place and have a program outside the sandbox follow it.
 */
export async function steadyPath(real: string, root: string): Promise<() => void> {
  for (let tries = 1; ; tries++) {
    const { marks, youngest } = foldersAbove(real, root);
    if (Date.now() - youngest >= SETTLED_MS) {
      return () => {
        if (foldersAbove(real, root).marks !== marks) throw new Error(`${dirname(real)} was changed meanwhile`);
      };
    }
    if (tries === MAX_TRIES) throw new Error(`${dirname(real)} is being changed all the time`);
    await sleep(SETTLED_MS);
  }
}

/** What changes whenever a name in one of these folders comes to stand for something else. */
function foldersAbove(real: string, root: string): { readonly marks: string; readonly youngest: number } {
  const folders: string[] = [];
  for (let folder = dirname(real); folder.length >= root.length; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === "/") break;
  }
  const stats = folders.map((folder) => lstatSync(folder, { bigint: true }));
  return {
    marks: stats.map(({ dev, ino, mode, ctimeNs }) => `${dev} ${ino} ${mode} ${ctimeNs}`).join("\n"),
    youngest: Math.max(...stats.map(({ ctimeMs }) => Number(ctimeMs))),
  };
}
