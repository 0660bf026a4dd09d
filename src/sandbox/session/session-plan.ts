import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { basename, join, relative } from "node:path";
import type { Policy } from "../../contract/policy.ts";
import { isInside } from "../../lib/path/inside.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { holdRepository, type IndexPlace } from "./git-places.ts";
import { userSettings } from "./git-settings.ts";
import { joinHeld, withPins } from "./held-paths.ts";
import {
  betweenFolders,
  type Mount,
  refuseWide,
  secretMounts,
  toolFolders,
  withoutLoss,
  writableRoots,
} from "./mounts.ts";
import { missingMounts, protectedPlaces } from "./protected-mounts.ts";

/** What the commands of a session see of the disk. Plain data, so that it can be displayed and compared. */
export interface SessionView {
  readonly workspace: string;
  readonly home: string;
  readonly mounts: readonly SessionMount[];
  /** Folders that commands may write, the workspace among them unless the policy keeps it read-only. */
  readonly roots: readonly string[];
  /** Protected paths that do not exist, so that nothing can be mounted there; the helper watches them. */
  readonly watched: readonly string[];
  /** Protected paths that are links, which cannot be mounted over; the helper watches them too. */
  readonly links: readonly string[];
  /** The `.git` of every repository that was there. */
  readonly repositories: readonly string[];
  /** Indexes of git that commands can write. */
  readonly indexes: readonly IndexPlace[];
  /** Files that stand in for missing ones while the session runs (stand-ins.ts). */
  readonly standIns: readonly string[];
  /** Nothing is mounted: what is hidden in folders that commands can write is not in the mounts. */
  readonly isUnmounted?: true;
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

/** Throws a UserError for a policy with which a sandbox would protect nothing, whatever is in the workspace. */
export function refuseWideRoots(policy: Policy, signalboxHome: string): void {
  refuseWorkspace(policy);
  const home = realIfThere(policy.home);
  const roots = writableRoots({ ...policy, home });
  for (const root of roots) refuseWide(root, home);
  const ours = realIfThere(signalboxHome);
  if ([realpathSync(policy.workspaceRoot), ...roots].some((root) => isInside(ours, root))) throw ownFolderShown(ours);
}

/**
 * The view of the disk that a policy asks for: everything that will be mounted. No source of a mount is a link or lies
 * behind one. Throws a UserError for what cannot be protected.
 */
export function planSession(given: Policy, place: PlanPlace): SessionView {
  refuseWideRoots(given, place.signalboxHome);
  const workspace = realpathSync(given.workspaceRoot);
  const home = realIfThere(given.home);
  const roots = writableRoots({ ...given, home });
  const policy = { ...given, home, workspaceRoot: workspace };
  const ours = realIfThere(place.signalboxHome);
  const strict = policy.sandbox === "strict";
  const isInRoots = roots.some((root) => isInside(workspace, root));
  const places = roots.map((root) => protectedPlaces(root, policy, roots));
  const repositoryPlace = { roots, home, users: userSettings(home) };
  const own = isInRoots
    ? holdRepository(join(workspace, ".git"), { ...repositoryPlace, own: { mayCommit: !strict } })
    : undefined;
  const entries = [...new Set(places.flatMap(({ repositories }) => repositories))];
  const others = entries.map((entry) => holdRepository(entry, repositoryPlace));
  const all = joinHeld([...(own === undefined ? [] : [own]), ...others, ...places]);
  const standIns = own?.standIns ?? [];
  const inHome = homeMounts(home, [workspace, ...roots], { ...place, strict });
  const shown = [workspace, ...roots, ...inHome.flatMap(({ kind, path }) => (kind === "read-only" ? [path] : []))];
  const held = withoutLoss([
    ...withPins(all.mounts, roots),
    ...secrets(policy, shown),
    ...hostSockets((path) => isHidden(path, home, shown)).map((path): Mount => ({ kind: "empty-file", path })),
  ]);
  const ownMissing = (own?.missing ?? []).filter((path) => [".git", "hooks"].includes(basename(path)));
  return refuseLarge({
    workspace,
    home,
    roots,
    mounts: [
      ...inHome,
      ...(isHidden(ours, home, []) ? [] : [{ kind: "between", path: ours } as const]),
      { kind: "read-only", path: workspace },
      ...roots.map((path): Mount => ({ kind: "writable", path })),
      ...withLoans(held, place, roots),
    ],
    repositories: [
      ...new Set([
        join(workspace, ".git"),
        ...[...(own === undefined ? [] : [own]), ...others].flatMap(({ folders }) => folders),
      ]),
    ],
    indexes: [...(own === undefined || strict ? [] : [own]), ...others]
      .flatMap(({ indexes }) => indexes)
      .filter(({ folder }, at, list) => list.findIndex((each) => each.folder === folder) === at),
    standIns,
    placeholders: [...new Set([...ownMissing, ...roots.flatMap((root) => missingMounts(root, policy))])],
    watched: [...new Set([...all.missing, ...standIns])],
    links: all.links,
  });
}

/** As many as bubblewrap makes in a few seconds, and the helper can watch. */
const MAX_MOUNTS = 1500;
const MAX_INDEXES = 250;
const MAX_WATCHED = 8000;

function refuseLarge(view: SessionView): SessionView {
  const { mounts, indexes, watched, links, repositories, roots } = view;
  const inRoots = mounts.filter(({ path }) => roots.some((root) => isInside(path, root)));
  const closed = inRoots.filter(({ kind }) => kind !== "writable").map(({ path }) => path);
  const folders = indexes.map(({ folder }) => folder);
  if (indexes.length > MAX_INDEXES || repositories.length > MAX_WATCHED) throw tooMany("repositories", folders, view);
  if (inRoots.length > MAX_MOUNTS) throw tooMany("protected files and folders", closed, view);
  if (watched.length + links.length > MAX_WATCHED) throw tooMany("protected paths", watched, view);
  return view;
}

/** Names what there is most of. */
function tooMany(what: string, paths: readonly string[], { roots }: SessionView): UserError {
  const [largest = []] = [...Map.groupBy(paths, (path) => basename(path)).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  const [example = "/"] = largest;
  const root = roots.find((each) => isInside(example, each)) ?? "/";
  return new UserError(`there are ${paths.length} ${what} in ${root}, too many to protect one by one`, {
    where: largest.length > 1 ? `${example}, and ${largest.length - 1} more of that name` : example,
    fix: `to look: find ${shQuote(root)} -name ${shQuote(basename(example))}. Remove what a command has made, or start in a smaller folder`,
    exitCode: EXIT.refused,
  });
}

/** A lent file is not mounted at all if only its own mount closed it: most programs replace files by renaming. */
function withLoans(held: readonly Mount[], place: PlanPlace, roots: readonly string[]): readonly Mount[] {
  const { extraReadable = [], extraWritable = [] } = place;
  const writable = extraWritable.map((path) => lentPath(path, roots));
  const isOpened = ({ kind, path }: Mount) =>
    kind === "read-only" && writable.includes(path) && statSync(path).isFile();
  const opened = held.filter(isOpened).map(({ path }) => path);
  return [
    ...held.filter((mount) => !isOpened(mount)),
    ...extraReadable.map((path): Mount => ({ kind: "read-only", path: lentPath(path, roots) })),
    ...writable.filter((path) => !opened.includes(path)).map((path): Mount => ({ kind: "writable", path })),
  ];
}

/** A link that a command could have made must not lead a loan anywhere else. */
function lentPath(path: string, roots: readonly string[]): string {
  const real = realpathSync(path);
  const root = roots.find((each) => isInside(path, each));
  if (root === undefined || isInside(real, root)) return real;
  throw new UserError(`${path} cannot be lent, because it leads out of the workspace by a link`, {
    where: real,
    fix: `to look: ls -ld ${shQuote(path)}`,
    exitCode: EXIT.refused,
  });
}

/** Files of the workspace that are hidden, relative to it. Git cannot add them. */
export const hiddenFiles = ({ mounts, workspace }: SessionView) =>
  mounts
    .filter(({ kind, path }) => kind === "empty-file" && isInside(path, workspace))
    .map(({ path }) => relative(workspace, path));

/** Throws a UserError for a workspace in which a sandbox would protect nothing: the whole disk, or the home folder. */
function refuseWorkspace({ workspaceRoot, home }: Pick<Policy, "workspaceRoot" | "home">): void {
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
