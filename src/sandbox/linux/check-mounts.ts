import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../../lib/path/inside.ts";
import { errorCode, EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import type { SessionMount, SessionView } from "../session/session-plan.ts";

/** What is mounted at one place, and what it was when the plan was made. */
interface PlannedMount {
  readonly kind: SessionMount["kind"];
  readonly path: string;
  /** Undefined for what bubblewrap makes itself. */
  readonly source: Source | undefined;
}

interface Source {
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
}

/** The mounts of a plan by their place, with what they show now. */
export type CheckedPlan = ReadonlyMap<string, PlannedMount>;

/** Throws a UserError for what is not there, or is behind a link that a command could have made. */
export function checkPlan({ mounts, standIns, roots }: SessionView): CheckedPlan {
  const all = [...mounts, ...standIns.map((path): SessionMount => ({ kind: "read-only", path }))];
  return new Map(
    all.map((mount) => [mount.path, { kind: mount.kind, path: mount.path, source: sourceOf(mount, roots) }]),
  );
}

function sourceOf(mount: SessionMount, roots: readonly string[]): Source | undefined {
  const given = mount.kind === "replace" ? mount.source : mount.path;
  if (mount.kind !== "replace" && mount.kind !== "writable" && mount.kind !== "read-only") return undefined;
  try {
    const path = realpathSync.native(given);
    if (path !== given && roots.some((root) => isInside(given, root))) throw notPlanned(given, "a link leads there");
    const { dev, ino } = lstatSync(path, { bigint: true });
    return { path, device: dev, inode: ino };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw notPlanned(given, messageOf(error));
  }
}

/**
 * Compares what is mounted for a process of the sandbox with the plan, before the first command runs. Something else can
 * be there only if somebody changed the folders while the sandbox started. Throws a UserError with the first difference.
 */
export function compareMounts(pid: number, plan: CheckedPlan, { roots, ours }: Expected): void {
  const host = readTable("self");
  const inside = readTable(pid);
  const top = new Map(inside.map((entry) => [entry.point, entry]));
  for (const planned of plan.values()) {
    const entry = top.get(planned.path);
    if (entry === undefined || !isAsPlanned(entry, planned, { pid, host })) throw changed(plan, planned.path);
  }
  const known = new Set(host.map(keyOf));
  const devices = new Set(host.map(({ device }) => device));
  const byId = new Map(inside.map((entry) => [entry.id, entry]));
  const isCovered = (entry: TableEntry) => top.get(entry.point) !== entry || statInside(pid, entry.point) === undefined;
  const isClosed = (entry: TableEntry) => entry.isReadOnly || isCovered(entry);
  /** As on this machine, and closed as the disk is. */
  const isHost = (entry: TableEntry) => {
    const below = plan.get(byId.get(entry.parent)?.point ?? "")?.kind;
    const isOpen = roots.some((root) => isInside(entry.point, root));
    return known.has(keyOf(entry)) && (isOpen || isClosed(entry)) && (below === undefined || !MADE.includes(below));
  };
  const isExpected = (entry: TableEntry) => {
    const { point } = entry;
    if (plan.has(point)) return top.get(point) === entry || isPlace(entry, point, host) || known.has(keyOf(entry));
    if (FRESH.includes(point)) return !devices.has(entry.device) || (isCovered(entry) && isHost(entry));
    if (isInside(point, "/proc")) return isHost(entry) || isClosed(entry);
    return isInside(point, "/dev") || ours.includes(point) || isHost(entry);
  };
  const other = inside.find((entry) => !isExpected(entry));
  if (other !== undefined) throw changed(plan, other.point);
}

/** A link that is in the way of a planned mount explains all others. */
function changed(plan: CheckedPlan, point: string): UserError {
  const isBehindLink = ({ source }: PlannedMount) => source !== undefined && realIfThere(source.path) !== source.path;
  const moved = [...plan.values()].find(isBehindLink);
  return notPlanned(moved?.path ?? point, "it was changed while the sandbox started, so something else was mounted");
}

function realIfThere(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

interface Expected {
  readonly roots: readonly string[];
  /** Our own files inside. */
  readonly ours: readonly string[];
}

/** Kinds with nothing in them but what is planned. */
const MADE: readonly SessionMount["kind"][] = ["replace", "scratch-folder", "between", "empty-folder", "empty-file"];

/** Each sandbox has its own. */
const FRESH = ["/run", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/dev/pts", "/proc"];

interface Place {
  readonly pid: number;
  readonly host: readonly TableEntry[];
}

function isAsPlanned(entry: TableEntry, { kind, path, source }: PlannedMount, { pid, host }: Place): boolean {
  const stat = statInside(pid, path);
  if (stat === undefined) return false;
  if (source !== undefined)
    return isPlace(entry, source.path, host) && stat.dev === source.device && stat.ino === source.inode;
  return kind === "empty-file" ? stat.isCharacterDevice() : entry.type === "tmpfs" && entry.root === "/";
}

function statInside(pid: number, path: string) {
  try {
    return lstatSync(`/proc/${pid}/root${path}`, { bigint: true });
  } catch {
    // Whatever it is, it is not what was planned.
    return undefined;
  }
}

/** Whether a mount shows what this machine has at a path. */
function isPlace({ device, root }: TableEntry, path: string, host: readonly TableEntry[]): boolean {
  const around = host.filter(({ point }) => isInside(path, point));
  const longest = Math.max(...around.map(({ point }) => point.length));
  return around.some(
    (each) =>
      each.point.length === longest &&
      each.device === device &&
      join(each.root, path.slice(each.point === "/" ? 0 : each.point.length)) === root,
  );
}

interface TableEntry {
  readonly id: string;
  readonly parent: string;
  readonly device: string;
  /** What is shown, as a path of its file system. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
  readonly isReadOnly: boolean;
}

const keyOf = ({ device, root, point }: TableEntry) => `${device} ${root} ${point}`;

/** A process's mounts, in the order in which they were made. */
function readTable(pid: number | "self"): readonly TableEntry[] {
  const lines = readFileSync(`/proc/${pid}/mountinfo`, "latin1").split("\n");
  return lines.flatMap((line) => {
    const [id = "", parent = "", device = "", root = "", point = "", options = ""] = line.split(" ");
    const isReadOnly = options.split(",").includes("ro");
    const type = line.split(" - ")[1]?.split(" ")[0] ?? "";
    return point === "" ? [] : [{ id, parent, device, root: plain(root), point: plain(point), type, isReadOnly }];
  });
}

const plain = (text: string) =>
  Buffer.from(
    text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8))),
    "latin1",
  ).toString("utf8");

/** The folders were changed between the plan and the mounts. */
export class ChangedMounts extends UserError {}

function notPlanned(path: string, why: string): UserError {
  return new ChangedMounts(`the sandbox would not have protected ${path}: ${why}`, {
    where: path,
    fix: `to look: ls -ld ${shQuote(path)}. If another program changed it just now, start again; a link that a command made can be removed`,
    exitCode: EXIT.refused,
  });
}
