import { createHash } from "node:crypto";
import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Policy } from "../../contract/policy.ts";
import { deniedEntries, FLOORS } from "../../guard/access/judge-access.ts";
import { isWild } from "../../lib/path/glob.ts";
import { isInside } from "../../lib/path/inside.ts";
import { fold, lexicalPath } from "../../lib/path/real-path.ts";
import { runGitBriefly } from "../../lib/process/run-git.ts";
import { gitMounts } from "./git-places.ts";
import type { Mount } from "./mounts.ts";

/** What is protected in a writable folder. */
interface ProtectedPlaces {
  /** The protected paths become read-only or hidden, and no parent folder can be moved away and replaced. */
  readonly mounts: readonly Mount[];
  /** The `.git` of every other repository in there. */
  readonly repositories: readonly string[];
}

/** The existing protected paths. A secret that git tracks unchanged is not hidden. The missing ones: `missingPaths`. */
export function existingPlaces(root: string, policy: Policy): ProtectedPlaces {
  const { found, repositories } = existing(root, policy);
  const hidden = found.filter(({ kind }) => kind === "empty-file").map(({ path }) => path);
  const shown = trackedUnchanged(root, hidden, policy.sandbox !== "strict");
  const isDenied = deniedEntries(policy);
  const closed = found.flatMap((mount): readonly Mount[] => {
    if (!shown.has(mount.path)) return [mount];
    const isFixed = isDenied.write(fold(mount.path), fold(basename(mount.path)));
    return isFixed ? [{ kind: "read-only", path: mount.path }] : [];
  });
  const pins = closed.flatMap(({ path }) => above(path, root));
  const open = pins.filter((pin) => !closed.some(({ path }) => isInside(pin, path)));
  return { mounts: [...open.map((path): Mount => ({ kind: "writable", path })), ...closed], repositories };
}

/** Limits of the walk. Protected files deeper than this are protected by the judge alone. */
const MAX_ENTRIES = 3000;

const MAX_DEPTH = 5;

/** Too large to walk, and recreated by the tools that own them. */
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

function existing(root: string, policy: Policy) {
  const isDenied = deniedEntries(policy);
  const found: Mount[] = [];
  const repositories: string[] = [];
  const own = join(policy.workspaceRoot, ".git");
  let left = MAX_ENTRIES;
  const walk = (folder: string, folded: string, depth: number): void => {
    for (const entry of entries(folder)) {
      if (left-- <= 0) return;
      // A link cannot be mounted over. The judge checks its target.
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink() || path === own) continue;
      if (entry.name === ".git") repositories.push(path);
      if (entry.name === ".git" && entry.isDirectory()) {
        found.push(...nestedRepositoryMounts(path));
        continue;
      }
      const name = fold(entry.name);
      const place = `${folded}/${name}`;
      if (isDenied.read(place, name)) found.push({ kind: entry.isDirectory() ? "empty-folder" : "empty-file", path });
      else if (isDenied.write(place, name)) found.push({ kind: "read-only", path });
      else if (entry.isDirectory() && depth < MAX_DEPTH && !SKIPPED.has(entry.name)) walk(path, place, depth + 1);
    }
  };
  walk(root, fold(root), 1);
  return { found, repositories };
}

/** Work in a nested repository is allowed, but whatever makes git run code is read-only. */
const nestedRepositoryMounts = (repository: string) =>
  RUNS_CODE.map((name) => join(repository, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    .map((path): Mount => ({ kind: "read-only", path }));

/** The same, as far as it is missing. */
export const missingInRepository = (repository: string) =>
  lstatSync(repository).isDirectory()
    ? RUNS_CODE.map((name) => join(repository, name)).filter(
        (path) => lstatSync(path, { throwIfNoEntry: false }) === undefined,
      )
    : [];

const RUNS_CODE = ["hooks", "config", "config.worktree", "commondir", "modules"];

function entries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The first missing component of each protected path with a fixed name. */
export function missingMounts(root: string, policy: Policy): readonly Mount[] {
  const absent = fixedPaths(root, policy, (glob) => glob).flatMap((path) => firstMissing(path, root));
  return [...new Set(absent)].map((path) => ({ kind: "empty-folder", path }));
}

/**
 * Protected paths with a fixed name that do not exist, whole. A pattern that matches in any folder counts for the root
 * itself. Those behind a link or a file are left out, because nothing can be created there.
 */
export function missingPaths(root: string, policy: Policy): readonly string[] {
  const absent = fixedPaths(root, policy, (glob) => glob.replace(/^\*\*\//, "")).filter(
    (path) => firstMissing(path, root).length > 0,
  );
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
    const stat = lstatSync(part, { throwIfNoEntry: false });
    if (stat === undefined) return [part];
    if (!stat.isDirectory()) return [];
  }
  return [];
}

/** The folders between `root` and `path`, outermost first, excluding both. */
function above(path: string, root: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== root && isInside(folder, root); folder = dirname(folder))
    folders.unshift(folder);
  return folders;
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
