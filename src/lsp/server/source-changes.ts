import type { Dirent, Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { endingOf } from "../read/file-address.ts";

/** A file that changed on disk, with the protocol's number for how. */
export interface SourceChange {
  readonly path: string;
  readonly type: 1 | 2 | 3;
}

const [CREATED, CHANGED, DELETED] = [1, 2, 3] as const;
/** Folders with code of others, or that tools fill. */
const SKIPPED = new Set(["node_modules", "target", "dist", "build", "vendor", "__pycache__", "venv"]);
const MAX_FILES = 20_000;
const MAX_FOLDERS = 5000;

/**
 * Looks for source files that commands have changed, because servers wait to be told. The first look tells nothing.
 * Folders of dependencies and hidden ones are left out, and so is what is beyond 20,000 files.
 */
export function sourceChanges(workspace: string, endings: ReadonlySet<string>): () => Promise<readonly SourceChange[]> {
  let known: ReadonlyMap<string, string> | undefined;
  return async () => {
    const before = known;
    const now = await look(workspace, endings);
    known = now;
    if (before === undefined) return [];
    const written = [...now]
      .filter(([path, state]) => before.get(path) !== state)
      .map(([path]) => ({ path, type: before.has(path) ? CHANGED : CREATED }));
    const deleted = [...before.keys()].filter((path) => !now.has(path)).map((path) => ({ path, type: DELETED }));
    return [...written, ...deleted];
  };
}

async function look(workspace: string, endings: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const folders = [workspace];
  for (let seen = 0; seen < MAX_FOLDERS && found.size < MAX_FILES; seen++) {
    const folder = folders.shift();
    if (folder === undefined) break;
    const entries = await entriesOf(folder);
    folders.push(...entries.filter(isSearched).map(({ name }) => join(folder, name)));
    const files = entries.filter((entry) => entry.isFile() && endings.has(endingOf(entry.name)));
    const states = await Promise.all(files.map(({ name }) => stateOf(join(folder, name))));
    for (const [path, state] of states.flatMap((each) => each ?? [])) found.set(path, state);
  }
  return found;
}

const isSearched = (entry: Dirent) => entry.isDirectory() && !entry.name.startsWith(".") && !SKIPPED.has(entry.name);

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // It was removed meanwhile, or may not be read.
    return [];
  }
}

async function stateOf(path: string): Promise<readonly [[string, string]] | undefined> {
  try {
    const { mtimeMs, size, ino }: Stats = await lstat(path);
    return [[path, `${mtimeMs} ${size} ${ino}`]];
  } catch {
    return undefined;
  }
}
