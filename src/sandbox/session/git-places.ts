import { existsSync, lstatSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode, EXIT, UserError } from "../../lib/text/user-error.ts";
import { folderNames } from "../../lib/files/folder-tree.ts";
import { readIfThere } from "../../lib/files/read-file.ts";
import type { Mount } from "./mounts.ts";

/** Parts of a repository that run code or redirect git, besides `hooks`. All but the config are optional. */
const READ_ONLY_PARTS = ["config", "config.worktree", "commondir", "modules"];

/** Missing ones must not be created; there are stand-ins for others. */
export const missingModules = (workspace: string) =>
  gitMounts(workspace, true).flatMap(({ kind, path }) => {
    const modules = join(path, "modules");
    return kind === "writable" && basename(path) === ".git" && !existsSync(modules) ? [modules] : [];
  });

/**
 * What a command may do to a workspace's repository: git's own records are writable, hooks and settings are not. A
 * linked worktree stores these records outside; they are opened only if they point back to this workspace.
 */
export function gitMounts(workspace: string, mayCommit: boolean): readonly Mount[] {
  const entry = join(workspace, ".git");
  const stat = lstatSync(entry, { throwIfNoEntry: false });
  if (stat === undefined) return [{ kind: "empty-folder", path: entry }];
  if (stat.isSymbolicLink())
    throw new UserError("the sandbox cannot protect a repository behind a link", {
      where: entry,
      fix: "work in the repository's real folder, or set sandbox: off in the policy",
      exitCode: EXIT.refused,
    });
  if (!mayCommit) return [{ kind: "read-only", path: entry }];
  if (stat.isDirectory())
    return [{ kind: "writable", path: entry }, ...readOnlyMounts(entry), ...worktreeMounts(entry)];
  return [{ kind: "read-only", path: entry }, ...linkedMounts(entry)];
}

/**
 * Files of a repository's folders that git would read settings from, and that are missing or stand-ins of ours. A
 * stand-in says what git assumes without the file, and is read-only for commands, so that they cannot make one.
 */
export function standIns(workspace: string): readonly string[] {
  const entry = join(workspace, ".git");
  const linked = linkedFolders(entry);
  const folders = linked === undefined ? [entry, ...worktrees(entry)] : [linked.common, linked.own];
  return folders
    .filter((folder) => existsSync(join(folder, "HEAD")))
    .flatMap((folder) => Object.keys(STAND_INS).map((name) => join(folder, name)))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) === undefined || isStandIn(path));
}

/** A folder with an index of git, and the files that the index lists. */
export interface IndexPlace {
  readonly folder: string;
  readonly workTree: string;
}

/** The indexes of a repository and of its linked worktrees, given its `.git`. */
export function indexPlaces(entry: string): readonly IndexPlace[] {
  const linked = linkedFolders(entry);
  const common = linked?.common ?? entry;
  return [
    { folder: linked?.own ?? entry, workTree: dirname(entry) },
    ...(linked === undefined ? [] : [{ folder: common, workTree: dirname(common) }]),
    ...worktrees(common).flatMap((folder) => {
      const named = readIfThere(join(folder, "gitdir"))?.toString("utf8").trim();
      return named === undefined ? [] : [{ folder, workTree: dirname(resolve(folder, named)) }];
    }),
  ].filter(({ folder }, at, all) => isFolder(folder) && all.findIndex((each) => each.folder === folder) === at);
}

const isFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** How many bytes the names of a repository's objects have. */
export function digestBytes(folder: string): 20 | 32 {
  const common = readIfThere(join(folder, "commondir"))?.toString("utf8").trim() ?? ".";
  const settings = readIfThere(join(resolve(folder, common), "config"))?.toString("utf8") ?? "";
  return /objectformat\s*=\s*sha256/i.test(settings) ? 32 : 20;
}

/** By name: `commondir` leads from the repository's folder to itself. */
const STAND_INS: Readonly<Record<string, string>> = { commondir: ".\n", "config.worktree": "" };
const REDIRECTS = Object.keys(STAND_INS);

/** Creates the files that are missing, for as long as a session runs. */
export function makeStandIn(path: string): void {
  try {
    writeFileSync(path, STAND_INS[basename(path)] ?? "", { flag: "wx", mode: 0o644 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** Whether it is one of ours, unchanged. */
export function isStandIn(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const content = STAND_INS[basename(path)];
  return (
    stat?.isFile() === true &&
    content !== undefined &&
    stat.size === content.length &&
    readFileSync(path, "utf8") === content
  );
}

function readOnlyMounts(folder: string): readonly Mount[] {
  const hooks = join(folder, "hooks");
  return [
    { kind: existsSync(hooks) ? "read-only" : "empty-folder", path: hooks },
    ...readOnlyFiles(folder, READ_ONLY_PARTS),
  ];
}

const readOnlyFiles = (folder: string, names: readonly string[]) =>
  names
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path))
    .map((path): Mount => ({ kind: "read-only", path }));

/** With more, none can be worked in, and none added. */
const MAX_WORKTREES = 50;

/**
 * The records of linked worktrees name the repository that git takes its settings from, for whoever works there later.
 * The folders above are mounts as well, so that they cannot be replaced.
 */
function worktreeMounts(entry: string): readonly Mount[] {
  const path = join(entry, "worktrees");
  const folders = worktrees(entry);
  if (folders.length === 0) return [];
  if (folders.length > MAX_WORKTREES) return [{ kind: "read-only", path }];
  return [{ kind: "writable", path }, ...folders.flatMap(ownMounts)];
}

const ownMounts = (own: string): readonly Mount[] => [
  { kind: "writable", path: own },
  ...readOnlyFiles(own, ["gitdir", ...REDIRECTS]),
];

function worktrees(entry: string): readonly string[] {
  const folder = join(entry, "worktrees");
  const names = existsSync(folder) ? folderNames(folder) : [];
  return names.map((name) => join(folder, name)).filter((own) => existsSync(join(own, "HEAD")));
}

function linkedMounts(entry: string): readonly Mount[] {
  const linked = linkedFolders(entry);
  if (linked === undefined) return [];
  const { own, common } = linked;
  return [
    { kind: "writable", path: common },
    ...readOnlyMounts(common),
    { kind: "read-only", path: dirname(own) },
    ...ownMounts(own),
  ];
}

/** Where a linked worktree has its records. Undefined for one that git did not create, whose records stay read-only. */
function linkedFolders(entry: string): { readonly own: string; readonly common: string } | undefined {
  try {
    const own = realpathSync(resolve(dirname(entry), readLine(entry).replace(/^gitdir: /, "")));
    const common = realpathSync(resolve(own, readLine(join(own, "commondir"))));
    const pointsBack = realpathSync(readLine(join(own, "gitdir"))) === realpathSync(entry);
    if (!pointsBack || basename(common) !== ".git" || dirname(own) !== join(common, "worktrees")) return undefined;
    return { own, common };
  } catch {
    // A folder, or no records that could be read.
    return undefined;
  }
}

const readLine = (path: string) => readFileSync(path, "utf8").trim();
