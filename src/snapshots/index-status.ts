import { join } from "node:path";
import { type GitCall, gitNames, runGitBriefly } from "../lib/run-git.ts";
import type { Shadow } from "./shadow.ts";
import type { Snapshot, SnapshotStore } from "./snapshot.ts";

const IGNORED = "ls-files -z --full-name --others --ignored --exclude-standard --directory".split(" ");
const STATUS = "status --porcelain=v1 -z --untracked-files=no --no-renames --ignore-submodules=all".split(" ");

/** What git ignores in a workspace, and so is not in a snapshot. A folder ends in a slash. */
export async function leftOut(store: SnapshotStore, snapshot: Snapshot, signal?: AbortSignal): Promise<string[]> {
  const places: string[] = [];
  for (const { path, shadow } of parts(store, snapshot)) {
    const abort = signal === undefined ? {} : { signal };
    const where = shadow.prefix === "" ? "." : shadow.prefix;
    const names = await gitNames([...IGNORED, "--", where], { ...shadow.call, ...abort });
    places.push(...names.map((name) => path + name.slice(shadow.prefix.length)));
  }
  return places;
}

/**
 * The files at or below a path that are as the user's own index has them, so that git can restore them. Undefined when
 * git does not answer in time. Reads the index with our settings: the repository's could start programs.
 */
export function cleanInIndex(
  { store, snapshot }: { readonly store: SnapshotStore; readonly snapshot: Snapshot },
  path: string,
  milliseconds: number,
): ReadonlySet<string> | undefined {
  const part = parts(store, snapshot)
    .filter((each) => `${path}/`.startsWith(each.path))
    .toSorted((one, other) => other.path.length - one.path.length)[0];
  const index = part?.shadow.repository?.index;
  if (part === undefined || index === undefined) return new Set();
  const { call, prefix } = part.shadow;
  const inPart = prefix + path.slice(part.path.length);
  const git: GitCall = { ...call, env: { ...call.env, GIT_INDEX_FILE: index, GIT_LITERAL_PATHSPECS: "1" } };
  const printed = runGitBriefly([...STATUS, "--", inPart === "" ? "." : inPart], git, milliseconds);
  if (printed === undefined) return undefined;
  // The shadow has no commit, so git lists every file of the index as added, and says if it was changed since.
  const clean = printed
    .toString("utf8")
    .split("\0")
    .filter((line) => line.startsWith("A  "));
  return new Set(clean.map((line) => join(part.path, line.slice("A  ".length + prefix.length))));
}

const parts = (store: SnapshotStore, snapshot: Snapshot): { readonly path: string; readonly shadow: Shadow }[] =>
  snapshot.parts.flatMap(({ path }) => {
    const shadow = store.shadow(path);
    return shadow === undefined ? [] : [{ path, shadow }];
  });
