import { accessSync, constants, lstatSync, readdirSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { isInside, outermostOf } from "../../lib/path/inside.ts";
import { toolFolders } from "../session/mounts.ts";
import type { SessionMount, SessionView } from "../session/session-plan.ts";

interface RulePlace {
  readonly signalboxHome: string;
  readonly privateHome: string;
  readonly temporary: string;
  /** The ports of this machine's loopback that commands may call. */
  readonly ports: readonly number[];
  /** The user's PATH. */
  readonly path: string;
}

/** Of the terminals only the commands' own; other devices would let root read the disks. */
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty", "ptmx"];

/** What is the machine's own, and shared with every other program. */
const SHARED = ["/dev", "/proc", "/run", "/tmp", "/var/tmp"];

/**
 * What commands in the Landlock form may reach, as the helper reads it (sandbox-init/landlock.h). Rules only add up on
 * the way down, so a folder in which something is hidden is shown part by part.
 */
export function landlockRules(view: SessionView, place: RulePlace): readonly string[] {
  const homes = ownHomes(view.home);
  const writable = outermostOf([...writablePaths(view), place.privateHome, place.temporary]);
  const isOpen = (path: string) => writable.some((root) => isInside(path, root));
  const readable = [...view.mounts.filter(isReadable).map(({ path }) => path), ...homes.flatMap(toolsIn(place.path))];
  const secrets = view.mounts.filter(isSecret).map(({ path }) => path);
  const hidden = [...SHARED, ...homes, place.signalboxHome, ...secrets];
  const sockets = view.mounts.filter(isSocket).map(({ path }) => path);
  return [
    ...shownBelow("/", hidden),
    ...[...new Set(readable)].filter((path) => !isOpen(path)).flatMap((path) => shownBelow(path, secrets)),
    ...writable.map((path) => `w${path}`),
    ...DEVICES.map((name) => `d/dev/${name}`),
    // A program of the user that listens in the workspace could be called there.
    ...writable.filter((root) => !sockets.some((path) => isInside(path, root))).map((path) => `u${path}`),
    ...place.ports.map((port) => `p${port}`),
  ];
}

/** Folders and lent files that commands can change, however they are mounted in the other form. */
export const writablePaths = ({ mounts }: SessionView) =>
  mounts.flatMap(({ kind, path }) => (kind === "writable" ? [path] : []));

/** A home could be the whole disk, for users that have none. */
const ownHomes = (home: string) =>
  [...new Set([home, homedir(), userInfo().homedir])].filter((path) => path !== "/" && path !== "");

const toolsIn = (path: string) => (home: string) => toolFolders(home, path);

const isReadable = ({ kind }: SessionMount) => kind === "read-only";

const isSocket = ({ kind, path }: SessionMount) => kind === "empty-file" && statOf(path)?.isSocket() === true;

const isSecret = (mount: SessionMount) =>
  mount.kind.startsWith("empty-") && !isSocket(mount) && isReadableNow(mount.path);

const statOf = (path: string) => lstatSync(path, { throwIfNoEntry: false });

/** What this user cannot read anyway needs no rules for everything around it. */
function isReadableNow(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** A folder with more is not shown part by part, and so not at all. */
const MAX_PARTS = 2000;

function shownBelow(folder: string, hidden: readonly string[]): readonly string[] {
  if (hidden.some((path) => isInside(folder, path))) return [];
  const within = hidden.filter((path) => isInside(path, folder));
  if (within.length === 0) return [`r${folder}`];
  const entries = entriesOf(folder);
  if (entries.length > MAX_PARTS) return [];
  const parts = entries
    // What a link leads to has a rule of its own, or is hidden.
    .filter((entry) => !entry.isSymbolicLink())
    .flatMap((entry) => shownBelow(join(folder, entry.name), within));
  // The right to list a folder holds for everything below.
  const mayList = within.every((path) => statOf(path)?.isDirectory() !== true);
  return mayList ? [`l${folder}`, ...parts] : parts;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Commands cannot list it either.
    return [];
  }
}
