import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import * as z from "zod";
import { gitNames } from "../lib/run-git.ts";
import type { Snapshot, SnapshotStore } from "./snapshot.ts";

/** The permissions of all files of a snapshot. Git itself only knows whether a file is executable. */
export const FileModes = z.object({
  /** The most frequent permissions of files that are not executable, and of those that are. */
  plain: z.int(),
  executable: z.int(),
  /** The permissions of all other files, by path. */
  others: z.record(z.string(), z.int()),
});
export type FileModes = z.infer<typeof FileModes>;

/** Reads the permissions of the files in the snapshot that a store took last. */
export async function readModes(store: SnapshotStore, snapshot: Snapshot, signal?: AbortSignal): Promise<FileModes> {
  const found = new Map<string, number>();
  const lists = await Promise.all(snapshot.parts.map(({ path }) => filesIn(store, path, signal)));
  for (const path of lists.flat()) {
    const stat = lstatSync(join(store.root, path), { throwIfNoEntry: false });
    if (stat?.isFile() === true) found.set(path, stat.mode & 0o7777);
    if (found.size % 5000 === 4999) await nextTurn();
  }
  const [plain, executable] = [usual(found, false) ?? 0o644, usual(found, true) ?? 0o755];
  const others = [...found].filter(([, mode]) => mode !== (isExecutable(mode) ? executable : plain));
  return { plain, executable, others: Object.fromEntries(others) };
}

/** The permissions of a file that git has with this mode. */
export const modeOf = ({ plain, executable, others }: FileModes, path: string, gitMode: string): number =>
  (Object.hasOwn(others, path) ? others[path] : undefined) ?? (gitMode === "100755" ? executable : plain);

const isExecutable = (mode: number) => (mode & 0o100) !== 0;

function usual(modes: ReadonlyMap<string, number>, executable: boolean): number | undefined {
  const counts = new Map<number, number>();
  for (const mode of modes.values())
    if (isExecutable(mode) === executable) counts.set(mode, (counts.get(mode) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
}

async function filesIn(
  store: SnapshotStore,
  part: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const shadow = store.shadow(part);
  if (shadow === undefined) return [];
  const { call, prefix } = shadow;
  const where = prefix === "" ? [] : ["--", prefix];
  const names = await gitNames(["ls-files", "-z", ...where], {
    ...call,
    ...(signal === undefined ? {} : { signal }),
  });
  return names.map((name) => join(part, name.slice(prefix.length)));
}
