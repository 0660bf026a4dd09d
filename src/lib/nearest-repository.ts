import { dirname, join } from "node:path";

/** A repository: its work tree, or the folder itself when it is bare. */
interface NearestRepository {
  readonly folder: string;
  readonly bare: boolean;
}

/**
 * Searches as git does: for `.git` in each folder upwards, then for a folder that is itself a repository. `kind` says
 * what is at a path; without it nothing is found.
 */
export function nearestRepository(
  start: string,
  kind: ((path: string) => string | undefined) | undefined,
): NearestRepository | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (kind?.(join(folder, ".git")) !== undefined) return { folder, bare: false };
    const parts = ["HEAD", "objects", "refs"].map((name) => kind?.(join(folder, name)));
    if (parts.every((found) => found !== undefined)) return { folder, bare: true };
    if (folder === "/") return undefined;
  }
}
