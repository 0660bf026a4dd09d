import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runGitBriefly } from "../lib/run-git.ts";
import { gitMounts } from "./git-places.ts";

const MAX_ASKED = 200;
const MAX_BYTES = 1024 * 1024;
const GIT_MS = 2000;

/**
 * Of these files those that are in git's index exactly as they are on the disk. Hiding them would protect nothing,
 * because commands can read the repository, and git could not work: it sees a hidden file as changed. Whatever is in
 * doubt is left out. Compares content itself, because git would run the filters that a repository names.
 */
export function trackedUnchanged(root: string, paths: readonly string[], mayCommit: boolean): ReadonlySet<string> {
  if (paths.length === 0 || paths.length > MAX_ASKED || !showsObjects(root, mayCommit)) return new Set();
  const names = paths.map((path) => path.slice(root.length + 1));
  const listed = runGitBriefly(["--literal-pathspecs", "ls-files", "-s", "-z", "--", ...names], { cwd: root }, GIT_MS);
  const found = (listed?.toString("utf8") ?? "").split("\0").flatMap((entry) => {
    const [, id, name] = /^100(?:644|755) ([0-9a-f]{40,64}) 0\t(.+)$/s.exec(entry) ?? [];
    return id !== undefined && name !== undefined && blobId(join(root, name), id.length) === id
      ? [join(root, name)]
      : [];
  });
  return new Set(found);
}

/** Whether commands can read all objects of the workspace's repository. */
function showsObjects(root: string, mayCommit: boolean): boolean {
  const entry = join(root, ".git");
  const stat = lstatSync(entry, { throwIfNoEntry: false });
  if (stat === undefined || stat.isSymbolicLink()) return false;
  // Of a linked worktree, the objects are elsewhere, and maybe in the hidden home folder.
  const linked = mayCommit ? gitMounts(root, true).find(({ kind }) => kind === "writable")?.path : undefined;
  const common = stat.isDirectory() ? entry : linked;
  return common !== undefined && !existsSync(join(common, "objects/info/alternates"));
}

function blobId(path: string, length: number): string | undefined {
  try {
    const stat = lstatSync(path);
    if (!stat.isFile() || stat.size > MAX_BYTES) return undefined;
    const content = readFileSync(path);
    return createHash(length === 40 ? "sha1" : "sha256")
      .update(`blob ${content.length}\0`)
      .update(content)
      .digest("hex");
  } catch {
    return undefined;
  }
}
