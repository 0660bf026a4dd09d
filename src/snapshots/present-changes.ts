import { join } from "node:path";
import { gitNames } from "../lib/process/run-git.ts";
import type { Shadow } from "./shadow.ts";
import { OTHERS, OURS, type Snapshot, type SnapshotStore } from "./snapshot.ts";
import { isUnknown, presentFile } from "./state-changes.ts";

const DIFFERENT = "diff-files -z --raw --no-abbrev --no-renames --no-ext-diff --ignore-submodules=all".split(" ");

/** More files than these are not read to find out whether they only look changed. */
const MAX_READ = 200;

/**
 * One line per file that is not as the store's last snapshot has it, in the form of `git status --porcelain`. Writes
 * nothing, so that the snapshot stays what answers about it are based on.
 */
export async function presentChanges(
  store: SnapshotStore,
  { parts }: Snapshot,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = await Promise.all(
    parts.map(async ({ path }) => {
      const shadow = store.shadow(path);
      return shadow === undefined ? [] : await changesIn(shadow, { root: store.root, path, signal });
    }),
  );
  return found.flat().toSorted((one, other) => (one.slice(3) < other.slice(3) ? -1 : 1));
}

interface Place {
  readonly root: string;
  /** Of the part, in the workspace. */
  readonly path: string;
  readonly signal: AbortSignal;
}

async function changesIn({ call, prefix }: Shadow, { root, path, signal }: Place): Promise<readonly string[]> {
  const git = { ...call, signal };
  const where = ["--", prefix === "" ? "." : prefix, ...OURS];
  const [different, others] = await Promise.all([
    gitNames([...DIFFERENT, ...where], git),
    gitNames([...OTHERS, ...where], git),
  ]);
  const nameOf = (name: string) => join(path, name.slice(prefix.length));
  const lines: string[] = [];
  for (let at = 0; at + 1 < different.length; at += 2) {
    const [mode = "", , oid = "", , letter = "M"] = (different[at] ?? "").slice(1).split(" ");
    const name = nameOf(different[at + 1] ?? "");
    if (letter === "D" || at / 2 >= MAX_READ || !isAsBefore(root, name, { mode, oid }))
      lines.push(`${letter}  ${name}`);
  }
  return [...lines, ...others.map((name) => `A  ${nameOf(name)}`)];
}

/** A file whose times changed, and nothing else. */
function isAsBefore(
  root: string,
  name: string,
  { mode, oid }: { readonly mode: string; readonly oid: string },
): boolean {
  const file = presentFile(root, name, oid.length);
  if (file === null || isUnknown(file) || file.oid !== oid) return false;
  return file.kind === "link" ? mode === "120000" : mode === ((file.mode & 0o111) === 0 ? "100644" : "100755");
}
