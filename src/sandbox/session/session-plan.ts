import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join, relative } from "node:path";
import type { Policy } from "../../contract/policy.ts";
import { isInside } from "../../lib/path/inside.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { gitMounts, type IndexPlace, indexPlaces, missingModules, standIns } from "./git-places.ts";
import { namedBySettings } from "./git-settings.ts";
import {
  betweenFolders,
  type Mount,
  refuseWide,
  secretMounts,
  toolFolders,
  withoutLoss,
  writableRoots,
} from "./mounts.ts";
import { existingPlaces, missingInRepository, missingMounts, missingPaths } from "./protected-mounts.ts";

/** What the commands of a session see of the disk. Plain data, so that it can be displayed and compared. */
export interface SessionView {
  readonly workspace: string;
  readonly home: string;
  readonly mounts: readonly SessionMount[];
  /** Folders that commands may write, the workspace among them unless the policy keeps it read-only. */
  readonly roots: readonly string[];
  /** Protected paths that do not exist, so that nothing can be mounted there; the helper watches them. */
  readonly watched: readonly string[];
  /** The `.git` of every repository that was there. */
  readonly repositories: readonly string[];
  /** Indexes of git that commands can write. */
  readonly indexes: readonly IndexPlace[];
  /** Files that stand in for missing ones while the session runs (git-places.ts). */
  readonly standIns: readonly string[];
  /** Without the helper: where empty folders keep the most important of them from being created. */
  readonly placeholders: readonly string[];
}

export type SessionMount =
  | Mount
  | { readonly kind: "replace"; readonly path: string; readonly source: string }
  /** A folder that only holds the mount points below it, and is read-only once they are made. */
  | { readonly kind: "between"; readonly path: string };

interface PlanPlace {
  /** The user's signalbox folder: keys, logins, logs, and the sockets of other sessions. */
  readonly signalboxHome: string;
  /** What commands see as their home; undefined: an empty one that is discarded. */
  readonly privateHome: string | undefined;
  readonly path: string;
  /** Lent to one command: paths that exist, and are opened as they are. */
  readonly extraWritable?: readonly string[] | undefined;
  readonly extraReadable?: readonly string[] | undefined;
}

/** Folders with a private copy inside, so that the sockets in them cannot be reached. */
const HIDDEN_FOLDERS = ["/run", "/tmp", "/var/tmp"];

/** The view of the disk that a policy asks for. Throws a UserError if the workspace is too wide to protect anything. */
export function planSession(given: Policy, place: PlanPlace): SessionView {
  const workspace = realpathSync(given.workspaceRoot);
  const home = realIfThere(given.home);
  const roots = writableRoots({ ...given, home });
  const own = join(workspace, ".git");
  const paths = { ...given.paths, denyWrite: [...given.paths.denyWrite, ...namedBySettings(own)] };
  const policy = { ...given, home, workspaceRoot: workspace, paths };
  refuseWorkspace(policy);
  const ours = realIfThere(place.signalboxHome);
  for (const root of roots) refuseWide(root, home);
  if ([workspace, ...roots].some((root) => isInside(ours, root))) throw ownFolderShown(ours);
  const strict = policy.sandbox === "strict";
  const inRoots = roots.some((root) => isInside(workspace, root));
  const git = inRoots ? gitMounts(workspace, !strict) : [];
  const places = roots.map((root) => existingPlaces(root, policy));
  const others = places.flatMap(({ repositories }) => repositories);
  const mayCommit = inRoots && !strict;
  const stand = mayCommit ? standIns(workspace) : [];
  const missing = git.filter((mount) => mount.kind === "empty-folder" && !isThere(mount.path));
  const held = withoutLoss([
    ...git.filter((mount) => !missing.includes(mount)),
    ...places.flatMap(({ mounts }) => mounts),
    ...secrets(policy, [workspace, ...roots]),
    ...hostSockets((path) => isHidden(path, home, [workspace, ...roots])).map((path): Mount => ({
      kind: "empty-file",
      path,
    })),
  ]);
  return {
    workspace,
    home,
    roots,
    mounts: [
      ...homeMounts(home, [workspace, ...roots], { ...place, strict }),
      ...(isHidden(ours, home, []) ? [] : [{ kind: "between", path: ours } as const]),
      { kind: "read-only", path: workspace },
      ...roots.map((path): Mount => ({ kind: "writable", path })),
      ...withLoans(held, place),
    ],
    repositories: [own, ...others],
    indexes: [...(mayCommit ? [own] : []), ...others].flatMap(indexPlaces),
    standIns: stand,
    placeholders: [...missing, ...roots.flatMap((root) => missingMounts(root, policy))].map(({ path }) => path),
    watched: [
      ...missing.map(({ path }) => path),
      ...stand,
      ...(mayCommit ? missingModules(workspace) : []),
      ...others.flatMap(missingInRepository),
      ...roots.flatMap((root) => missingPaths(root, policy)),
    ],
  };
}

/** A lent file is not mounted at all if only its own mount closed it: most programs replace files by renaming. */
function withLoans(held: readonly Mount[], { extraReadable = [], extraWritable = [] }: PlanPlace): readonly Mount[] {
  const writable = extraWritable.map((path) => realpathSync(path));
  const isOpened = ({ kind, path }: Mount) =>
    kind === "read-only" && writable.includes(path) && statSync(path).isFile();
  const opened = held.filter(isOpened).map(({ path }) => path);
  return [
    ...held.filter((mount) => !isOpened(mount)),
    ...extraReadable.map((path): Mount => ({ kind: "read-only", path: realpathSync(path) })),
    ...writable.filter((path) => !opened.includes(path)).map((path): Mount => ({ kind: "writable", path })),
  ];
}

/** Files of the workspace that are hidden, relative to it. Git cannot add them. */
export const hiddenFiles = ({ mounts, workspace }: SessionView) =>
  mounts
    .filter(({ kind, path }) => kind === "empty-file" && isInside(path, workspace))
    .map(({ path }) => relative(workspace, path));

/** Throws a UserError for a workspace in which a sandbox would protect nothing: the whole disk, or the home folder. */
export function refuseWorkspace({ workspaceRoot, home }: Pick<Policy, "workspaceRoot" | "home">): void {
  const workspace = realpathSync(workspaceRoot);
  refuseWide(workspace, realIfThere(home));
  if (isInside(realIfThere(home), workspace)) throw homeAsWorkspace(workspace);
}

function homeMounts(
  home: string,
  roots: readonly string[],
  { privateHome, path, strict }: PlanPlace & { readonly strict: boolean },
): readonly SessionMount[] {
  if (!existsSync(home)) return [];
  const isEmpty = strict || privateHome === undefined;
  const tools = isEmpty ? [] : toolFolders(home, path);
  return [
    isEmpty ? { kind: "scratch-folder", path: home } : { kind: "replace", path: home, source: privateHome },
    ...betweenFolders(home, roots, tools).map((folder): SessionMount => ({ kind: "between", path: folder })),
    ...tools.map((folder): Mount => ({ kind: "read-only", path: folder })),
  ];
}

const isHidden = (path: string, home: string, shown: readonly string[]) =>
  [home, ...HIDDEN_FOLDERS].some((folder) => isInside(path, folder)) && !shown.some((root) => isInside(path, root));

/** Secrets that the private home does not hide: in other folders, in a home that HOME does not name, in write roots. */
function secrets(policy: Policy, shown: readonly string[]): readonly Mount[] {
  const homes = [...new Set([policy.home, realIfThere(homedir()), realIfThere(userInfo().homedir)])];
  return homes
    .flatMap((home) => secretMounts(home, policy.paths.denyRead))
    .filter(({ path }) => !isHidden(path, policy.home, shown));
}

const realIfThere = (path: string) => (existsSync(path) && statSync(path).isDirectory() ? realpathSync(path) : path);

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function homeAsWorkspace(workspace: string): UserError {
  return new UserError("the sandbox cannot hide your home folder while it is the workspace", {
    where: workspace,
    fix: "work in a project folder, or set sandbox: off in the policy",
    exitCode: EXIT.refused,
  });
}

function ownFolderShown(own: string): UserError {
  return new UserError("signalbox's own files would be inside a folder that commands can write", {
    where: own,
    fix: "set SIGNALBOX_HOME to a folder outside the workspace and the write roots, or unset it",
    exitCode: EXIT.refused,
  });
}

/**
 * Unix sockets of other programs that exist now and that the sandbox would show. A read-only disk does not keep a
 * command from connecting to one, so each is covered.
 */
export function hostSockets(isHidden: (path: string) => boolean, table = readTable()): readonly string[] {
  const paths = table.split("\n").flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  return [...new Set(paths)].filter((path) => !isHidden(path) && isSocket(path));
}

function readTable(): string {
  try {
    return readFileSync("/proc/net/unix", "utf8");
  } catch {
    // A kernel without Unix sockets in /proc shows none.
    return "";
  }
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    // Gone, or in a folder that commands cannot enter either.
    return false;
  }
}
