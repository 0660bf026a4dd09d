import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { realIfThere } from "../../lib/path/real-path.ts";
import { readBoundedText } from "../../lib/files/read-file.ts";
import { isInside } from "../../lib/path/inside.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { type NamedSetting, namedBySettings } from "./git-settings.ts";
import { entriesOf, type Held, holdPath, joinHeld, NOTHING, statOf } from "./held-paths.ts";
import type { Mount } from "./mounts.ts";
import { standInsOf } from "./stand-ins.ts";

/** A folder with an index of git, and the files that the index lists. */
export interface IndexPlace {
  readonly folder: string;
  readonly workTree: string;
}

/** How a repository is held: git's records can be written, what runs code or leads git elsewhere cannot. */
export interface HeldRepository extends Held {
  /** Its `.git`, and the folders where it has its records. */
  readonly folders: readonly string[];
  readonly indexes: readonly IndexPlace[];
  /** Files that stand in for missing ones while a session runs. */
  readonly standIns: readonly string[];
}

interface RepositoryPlace {
  /** Folders that commands can write. */
  readonly roots: readonly string[];
  readonly home: string;
  readonly users: readonly NamedSetting[];
  /** The workspace's own repository, in which commands can commit or not. Undefined: another one in a root. */
  readonly own?: { readonly mayCommit: boolean } | undefined;
}

/** Parts of a repository's folder that run code or redirect git. */
export const PARTS = ["hooks", "config", "config.worktree", "commondir", "modules", "remotes", "branches"];
/** The same in the records of a linked worktree. */
const WORKTREE_PARTS = ["gitdir", "commondir", "config.worktree"];

/**
 * Holds the repository of a `.git`, which may be a folder, a file or a link, or a folder that git takes for a repository.
 * It is enough that git might use it: a `HEAD` that is missing now can come back.
 */
export function holdRepository(entry: string, place: RepositoryPlace): HeldRepository {
  const { roots, home, users, own } = place;
  const stat = statOf(entry);
  if (stat === undefined) return { ...NOTHING, missing: [entry], folders: [entry], indexes: [], standIns: [] };
  if (own !== undefined && stat.isSymbolicLink()) throw behindLink(entry);
  const { mains, records, closed, indexes, common } = repositoryFolders(entry, place);
  const all = [...mains, ...records];
  const folders = [...new Set([...(stat.isSymbolicLink() ? [] : [entry]), ...all])];
  const places = [...roots, ...common];
  const workTrees = indexes.map(({ workTree }) => workTree);
  const settings = namedBySettings(all, { workTrees, home, users }).map((path) => holdPath(path, "write", places));
  if (own?.mayCommit === false) {
    const held = joinHeld(settings);
    return { ...held, mounts: [...[entry, ...all].map(readOnly), ...held.mounts], folders, indexes: [], standIns: [] };
  }
  const hold = (names: readonly string[]) => (from: string) =>
    names.map((name) => holdPath(join(from, name), "write", [...places, from]));
  const parts = joinHeld([
    ...mains.flatMap(hold(basename(entry) === ".git" ? PARTS : PARTS.filter((name) => name !== "modules"))),
    ...records.flatMap(hold(WORKTREE_PARTS)),
    ...(stat.isDirectory() ? [] : [holdPath(entry, "write", roots)]),
    ...settings,
  ]);
  const standIns = own === undefined ? [] : standInsOf(all);
  const mounts = [...all.map(writable), ...closed.map(readOnly), ...parts.mounts];
  return {
    mounts: mounts.filter(({ path }) => !standIns.includes(path)),
    missing: parts.missing.filter((path) => basename(path) !== "gitdir"),
    links: parts.links,
    folders,
    indexes,
    standIns,
  };
}

/**
 * The folders of a repository that commands can write, and those of a linked worktree that lead back to it, which are
 * opened for the workspace's own.
 */
function repositoryFolders(entry: string, { roots, own }: RepositoryPlace) {
  const { folder, common } = gitFolders(entry);
  const linked = own?.mayCommit === true ? linkedFolders(entry) : undefined;
  const isWritable = (path: string) => roots.some((root) => isInside(path, root));
  const isHeld = (path: string) => isFolder(path) && (isWritable(path) || linked !== undefined) && !isSubmodule(path);
  const all = worktreeFolders(common).filter((path) => linked === undefined || isWritable(path));
  const hasMany = all.length > MAX_WORKTREES;
  const worktrees = hasMany ? [] : all;
  const indexes = [
    { folder, workTree: dirname(entry) },
    { folder: common, workTree: dirname(common) },
    ...worktrees.map((path) => ({ folder: path, workTree: workTreeOf(path) })),
  ];
  const records = [...worktrees, ...(linked === undefined ? [] : [linked.own])];
  return {
    mains: [...new Set([folder, common])].filter((path) => isHeld(path) && path !== linked?.own),
    records: [...new Set(records)].filter(isHeld),
    /** Folders in which no worktree can be added. */
    closed: [...(hasMany ? [join(common, "worktrees")] : []), ...(linked === undefined ? [] : [dirname(linked.own)])],
    indexes: [
      ...new Map(
        indexes
          .filter((each) => isHeld(each.folder))
          .toReversed()
          .map((each) => [each.folder, each]),
      ).values(),
    ],
    common: linked === undefined ? [] : [linked.common],
  };
}

/** Its records are read-only with all others of the repository above. */
const isSubmodule = (path: string) => path.includes("/.git/modules/");

const isFolder = (path: string) => statOf(path)?.isDirectory() === true;
const readOnly = (path: string): Mount => ({ kind: "read-only", path });
const writable = (path: string): Mount => ({ kind: "writable", path });

/** With more, none can be worked in, and none added. */
const MAX_WORKTREES = 50;

/** The folders from which git reads the records and the settings of a repository. */
function gitFolders(entry: string): { readonly folder: string; readonly common: string } {
  const real = realIfThere(entry);
  const named = readPointer(real);
  const folder = named === undefined ? real : realIfThere(resolve(dirname(real), named.replace(/^gitdir: /, "")));
  const pointer = readPointer(join(folder, "commondir"));
  return { folder, common: pointer === undefined ? folder : realIfThere(resolve(folder, pointer)) };
}

const MAX_POINTER = 1024 * 1024;

/** What a file of git names, read as git reads it; undefined for anything but a file. */
function readPointer(file: string): string | undefined {
  try {
    const [text = ""] = readBoundedText(file, MAX_POINTER).split("\0");
    return text.replace(/[\r\n]+$/, "");
  } catch {
    // Git cannot use it either.
    return undefined;
  }
}

/** Only real folders: git makes no links there, and one could lead anywhere. */
function worktreeFolders(common: string): readonly string[] {
  const folder = join(common, "worktrees");
  if (!isFolder(folder)) return [];
  return entriesOf(folder).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []));
}

function workTreeOf(records: string): string {
  const named = readPointer(join(records, "gitdir"));
  return named === undefined ? records : dirname(resolve(records, named));
}

/** Whether a `.git` is a linked worktree whose records are elsewhere, and where. Undefined if git did not create it. */
export function linkedFolders(entry: string): { readonly own: string; readonly common: string } | undefined {
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

function behindLink(entry: string): UserError {
  return new UserError(`${entry} is a link, and the sandbox cannot protect a repository behind a link`, {
    where: entry,
    fix: "work in the repository's real folder, or set sandbox: off in the policy",
    exitCode: EXIT.refused,
  });
}

/** How many bytes the names of a repository's objects have. */
export function digestBytes(folder: string): 20 | 32 {
  const common = readPointer(join(folder, "commondir")) ?? ".";
  const settings = readPointer(join(resolve(folder, common), "config")) ?? "";
  return /objectformat\s*=\s*sha256/i.test(settings) ? 32 : 20;
}
