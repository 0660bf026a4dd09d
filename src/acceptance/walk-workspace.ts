import { type Dirent, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isDependencyFolder, isPrivateFolder } from "./deciding-names.ts";

/** What a workspace holds. Paths are relative to it. */
export interface Walked {
  /** Files, links, and everything else that is not a folder. */
  readonly files: readonly string[];
  /** Folders that are not entered: dependencies and caches. */
  readonly dependencies: readonly string[];
  /** Repositories inside, which are entered. */
  readonly repositories: readonly string[];
}

const MAX_ENTRIES = 500_000;
const MAX_MS = 30_000;
const BATCH = 200;

/** The workspace is too large to be compared, or cannot be read. */
class WorkspaceTooLarge extends Error {}

/** Lists a workspace without following links. Throws when that would take too long. */
export async function walkWorkspace(root: string, signal?: AbortSignal): Promise<Walked> {
  const files: string[] = [];
  const dependencies: string[] = [];
  const repositories: string[] = [];
  const folders = [""];
  const started = performance.now();
  for (let count = 0, folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (++count % BATCH === 0) {
      signal?.throwIfAborted();
      await nextTurn();
    }
    if (files.length > MAX_ENTRIES) throw new WorkspaceTooLarge(`it has more than ${MAX_ENTRIES} files`);
    if (performance.now() - started > MAX_MS) throw new WorkspaceTooLarge(`listing it takes longer than ${MAX_MS} ms`);
    for (const entry of entriesOf(join(root, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) {
        if (entry.name !== ".git") files.push(path);
      } else if (isPrivateFolder(entry.name)) repositories.push(folder);
      else if (isDependencyFolder(entry.name) || isCache(join(root, path))) dependencies.push(path);
      else folders.push(path);
    }
  }
  return { files: files.toSorted(), dependencies: dependencies.toSorted(), repositories };
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Unreadable for us, and for the check too. If it decides something, the check fails.
    return [];
  }
}

/** Build tools mark their output folders with this file, and Python its environments with the other. */
const isCache = (folder: string) => existsSync(join(folder, "CACHEDIR.TAG")) || existsSync(join(folder, "pyvenv.cfg"));
