import { type Dirent, existsSync, lstatSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { blobId } from "../../lib/files/hash-file.ts";
import type { Policy } from "../../contract/policy.ts";
import { deniedEntries, FLOORS } from "../../guard/access/judge-access.ts";
import { isWild } from "../../lib/path/glob.ts";
import { isInside } from "../../lib/path/inside.ts";
import { fold, lexicalPath } from "../../lib/path/real-path.ts";
import { runGitBriefly } from "../../lib/process/run-git.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { linkedFolders } from "./git-places.ts";
import { above, entriesOf, type Held, holdPath, joinHeld, statOf } from "./held-paths.ts";
import type { Mount } from "./mounts.ts";

/** What is protected in a writable folder. */
interface ProtectedPlaces extends Held {
  /** The `.git` of every other repository in there, and folders that git would take for one. */
  readonly repositories: readonly string[];
}

/**
 * The protected paths in one of these folders: those with a fixed name by looking there, and the others by a search. A
 * secret that git tracks unchanged is not hidden.
 */
export function protectedPlaces(root: string, policy: Policy, roots: readonly string[] = [root]): ProtectedPlaces {
  const isDenied = deniedEntries(policy);
  const { found, repositories } = search(root, policy);
  const isWritten = (path: string) => statOf(path) === undefined || isDenied.write(fold(path), fold(basename(path)));
  const fixed = fixedPaths(root, policy, (glob) => glob.replace(/^\*\*\//, "")).filter(isWritten);
  const held = joinHeld([
    ...fixed.map((path) => holdPath(path, "write", roots)),
    ...found.map(({ path, access }) => holdPath(path, access, roots)),
  ]);
  const hidden = held.mounts.filter(({ kind }) => kind === "empty-file").map(({ path }) => path);
  const shown = trackedUnchanged(root, hidden, policy.sandbox !== "strict");
  const mounts = held.mounts.flatMap((mount): readonly Mount[] => {
    if (!shown.has(mount.path)) return [mount];
    const isFixed = isDenied.write(fold(mount.path), fold(basename(mount.path)));
    return isFixed ? [{ kind: "read-only", path: mount.path }] : [];
  });
  return { ...held, mounts, repositories };
}

/** Far more than a large repository with its dependencies has. */
const MAX_ENTRIES = 1_000_000;

/** Nothing can be mounted on much longer paths. Programs reach them only step by step. */
const MAX_PATH = 1300;

/**
 * Recreated by the tools that own them. Nothing in there is held, because a mount would keep the tools from clearing
 * them, and from reading the certificates that packages bring.
 */
export const SKIPPED: ReadonlySet<string> = new Set([
  "node_modules",
  ".git",
  "target",
  "dist",
  "build",
  ".venv",
  "venv",
  "__pycache__",
]);

interface FoundPath {
  readonly path: string;
  readonly access: "read" | "write";
}

/** Level by level, so that what is near the top is found first. */
function search(root: string, policy: Policy) {
  const isDenied = deniedEntries(policy);
  const found: FoundPath[] = [];
  const repositories: string[] = [];
  const own = join(policy.workspaceRoot, ".git");
  const queue = [{ folder: root, folded: fold(root), isHeld: false }];
  let count = 0;
  for (const { folder, folded, isHeld } of queue) {
    const entries = entriesOf(folder);
    count += entries.length;
    if (count > MAX_ENTRIES) throw tooMany(root, queue);
    if (isRepository(entries)) repositories.push(folder);
    for (const entry of entries) {
      const path = `${folder}/${entry.name}`;
      if (path.length > MAX_PATH) continue;
      const name = fold(entry.name);
      const place = `${folded}/${name}`;
      if (name === ".git") {
        if (path !== own) repositories.push(path);
        continue;
      }
      const isHidden = isDenied.read(place, name);
      const isFixed = !isHidden && !isHeld && isDenied.write(place, name);
      if (isHidden) found.push({ path, access: "read" });
      if (isFixed) found.push({ path, access: "write" });
      if (entry.isDirectory() && !isHidden && !SKIPPED.has(entry.name))
        queue.push({ folder: path, folded: place, isHeld: isHeld || isFixed });
    }
  }
  return { found, repositories };
}

/** As git recognizes one without a `.git`. */
function isRepository(entries: readonly Dirent[]): boolean {
  const has = (wanted: string) => entries.some(({ name }) => name === wanted);
  return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}

function tooMany(root: string, queue: readonly { readonly folder: string }[]): UserError {
  const counts = new Map<string, number>();
  for (const { folder } of queue) {
    const top = relative(root, folder).split("/")[0] ?? "";
    counts.set(top, (counts.get(top) ?? 0) + 1);
  }
  const [[largest] = [""]] = [...counts].toSorted((one, other) => other[1] - one[1]);
  const folder = join(root, largest);
  return new UserError(`more than ${MAX_ENTRIES.toLocaleString("en")} files, too many to find what must be protected`, {
    where: folder,
    fix: `to look: du --inodes -d 2 ${shQuote(folder)}. Remove what a command has made there, or start in a smaller folder`,
    exitCode: EXIT.refused,
  });
}

/** The first missing component of each protected path with a fixed name. */
export function missingMounts(root: string, policy: Policy): readonly string[] {
  const absent = fixedPaths(root, policy, (glob) => glob).flatMap((path) => firstMissing(path, root));
  return [...new Set(absent)];
}

function fixedPaths(root: string, policy: Policy, plain: (glob: string) => string): readonly string[] {
  return [...FLOORS.denyWrite, ...policy.paths.denyWrite]
    .map((glob) => plain(glob.replace(/\/\*\*$/, "")))
    .filter((glob) => !isWild(glob) && !glob.startsWith("!") && glob !== ".git")
    .map((glob) => lexicalPath(glob.startsWith("~/") ? policy.home + glob.slice(1) : glob, policy.workspaceRoot))
    .filter((path) => path !== root && isInside(path, root));
}

function firstMissing(path: string, root: string): readonly string[] {
  for (const part of [...above(path, root), path]) {
    const stat = statOf(part);
    if (stat === undefined) return [part];
    if (!stat.isDirectory()) return [];
  }
  return [];
}

const MAX_ASKED = 200;

const MAX_BYTES = 1024 * 1024;

const GIT_MS = 2000;

/**
 * Of these files those that are in git's index exactly as they are on the disk. Hiding them would protect nothing,
 * because commands can read the repository, and git could not work: it sees a hidden file as changed. Whatever is in
 * doubt is left out. Compares content itself, because git would run the filters that a repository names.
 */
function trackedUnchanged(root: string, paths: readonly string[], mayCommit: boolean): ReadonlySet<string> {
  if (paths.length === 0 || paths.length > MAX_ASKED || !showsObjects(root, mayCommit)) return new Set();
  const names = paths.map((path) => path.slice(root.length + 1));
  const listed = runGitBriefly(["--literal-pathspecs", "ls-files", "-s", "-z", "--", ...names], { cwd: root }, GIT_MS);
  const found = (listed?.toString("utf8") ?? "").split("\0").flatMap((entry) => {
    const [, id, name] = /^100(?:644|755) ([0-9a-f]{40,64}) 0\t(.+)$/s.exec(entry) ?? [];
    return id !== undefined && name !== undefined && idOf(join(root, name), id.length) === id ? [join(root, name)] : [];
  });
  return new Set(found);
}

/** Whether commands can read all objects of the workspace's repository. */
function showsObjects(root: string, mayCommit: boolean): boolean {
  const entry = join(root, ".git");
  const stat = lstatSync(entry, { throwIfNoEntry: false });
  if (stat === undefined || stat.isSymbolicLink()) return false;
  // Of a linked worktree, the objects are elsewhere, and maybe in the hidden home folder.
  const linked = mayCommit ? linkedFolders(entry)?.common : undefined;
  const common = stat.isDirectory() ? entry : linked;
  return common !== undefined && !existsSync(join(common, "objects/info/alternates"));
}

function idOf(path: string, length: number): string | undefined {
  try {
    const stat = lstatSync(path);
    if (!stat.isFile() || stat.size > MAX_BYTES) return undefined;
    return blobId(readFileSync(path), length);
  } catch {
    return undefined;
  }
}
