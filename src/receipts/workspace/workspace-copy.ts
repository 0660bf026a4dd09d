import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { removeStage, stageFolder } from "./open-workspace.ts";
import { protectedChanges } from "./apply-patch.ts";
import { makeStagedCopy } from "./staged-copy.ts";
import { folderNames } from "../../lib/files/folder-tree.ts";
import { ownerLife, ownFolder } from "../../lib/process/folder-owner.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { gitNames } from "../../lib/process/run-git.ts";
import { compareSnapshots } from "../../snapshots/changes.ts";
import { type MergeChange, mergeChanges, type MergeReport } from "../../snapshots/merge-changes.ts";
import { openSnapshots } from "../../snapshots/snapshot.ts";

interface CopyRequest {
  /** The user's workspace. */
  readonly workspace: string;
  /** The user's signalbox folder. */
  readonly home: string;
  /** Unique on this machine. */
  readonly name: string;
  /** A folder of the session that its model may read: for patches and for what could not be merged. */
  readonly keptFolder: string;
}

/** A copy of the workspace in which one sub-agent works. It is removed when this is disposed. */
export interface WorkspaceCopy extends Disposable {
  readonly root: string;
  /** Writes what was changed in it to a patch. */
  savePatch(): Promise<{ readonly patchFile: string; readonly isEmpty: boolean }>;
  /** Files and folders in it that git ignores. They are in no patch and are not merged. */
  ignored(): Promise<readonly string[]>;
  /** Brings what was changed in it into the workspace. */
  merge(): Promise<MergeReport>;
}

const copiesFolder = (home: string) => join(home, "worktrees");
const ROOT = "root.txt";
const IGNORED = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];

/**
 * Copies a workspace as it is now, with changes that are not committed and files that git does not track, but without
 * ignored files. The copy is a repository of its own: nothing that is done in it reaches the user's branches, index or
 * stash.
 */
export async function openCopy({ workspace, home, name, keptFolder }: CopyRequest): Promise<WorkspaceCopy> {
  const folder = join(copiesFolder(home), name);
  const root = stageFolder(name);
  makeFolder(folder);
  const owned = ownFolder(folder);
  const dispose = () => {
    removeStage(root);
    owned[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    // Before the copy is made, so that it is found even if we are killed meanwhile.
    writeFileSync(join(folder, ROOT), root, { mode: 0o600 });
    const source = openSnapshots(workspace, join(folder, "base"));
    await makeStagedCopy(source, await source.take({ exact: true }), { root, folder, wanted: () => true });
    const store = openSnapshots(root, join(folder, "exact"));
    const before = await store.take({ exact: true });
    return {
      root,
      async savePatch() {
        const { patch, files } = await compareSnapshots(store, before, await store.take({ exact: true }));
        makeFolder(keptFolder);
        const patchFile = join(keptFolder, "changes.patch");
        if (files.length > 0) writeFileSync(patchFile, patch, { mode: 0o600 });
        return { patchFile, isEmpty: files.length === 0 };
      },
      async ignored() {
        const shadow = store.shadow("");
        return shadow === undefined ? [] : await gitNames(IGNORED, shadow.call);
      },
      async merge() {
        const after = await store.take({ exact: true });
        const objection = (change: MergeChange) => protectedBy(change, workspace);
        return await mergeChanges({ workspace, store, before, after, folder: keptFolder, objection });
      },
      [Symbol.dispose]: dispose,
    };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** What the guard would not let an agent write in the workspace is not merged into it either. */
function protectedBy(change: MergeChange, root: string): string | undefined {
  const entry = { ...change, oldMode: "", newMode: "" };
  return protectedChanges([entry], root, homedir())[0]?.because;
}

/** Removes the copies of sessions that were killed. */
export function removeLeftCopies(home: string): void {
  for (const name of folderNames(copiesFolder(home))) {
    const folder = join(copiesFolder(home), name);
    if (ownerLife(folder) !== "dead") continue;
    try {
      removeStage(readFileSync(join(folder, ROOT), "utf8"));
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Killed before there was a copy, or not ours to remove; it is tried again at the next start.
    }
  }
}
