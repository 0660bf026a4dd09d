import { type BigIntStats, lstatSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { LossScope, Recoverable } from "../contract/agent-call.ts";
import { isInside } from "../lib/path/inside.ts";
import { isMissing } from "../lib/text/user-error.ts";
import { cleanInIndex, hasContent, indexEntries, type IndexEntry, leftOut } from "./index-entries.ts";
import type { TakenSnapshot } from "./take-snapshot.ts";

/** Says what could be restored if it were deleted now. */
export interface Recovery extends CallEvents {
  /**
   * True when the present content of a file, or of everything below a folder, is in the snapshot, is in git's index, or
   * was written by the session itself. False when it would be lost. Undefined when that cannot be told quickly. Reads
   * the disk, and blocks for at most some 70 ms.
   */
  readonly recoverable: Recoverable;
  /** Forgets what git said. To be called when files may have changed; `began` and `ended` do it too. */
  readonly invalidate: () => void;
}

interface RecoveryOptions {
  /** When the session's own commands ran. */
  readonly activity?: Activity;
  readonly patience?: RecoveryPatience;
  readonly signal?: AbortSignal;
}

/** How long one answer may block, in milliseconds. */
export interface RecoveryPatience {
  readonly git: number;
  readonly walk: number;
}

const USUAL_PATIENCE: RecoveryPatience = { git: 20, walk: 50 };

/**
 * Prepares the answers right after a snapshot was taken, before another one is taken in its store. Without a snapshot
 * every answer is unknown.
 */
export async function openRecovery(
  folder: string,
  taken: TakenSnapshot,
  { activity = openActivity(), patience = USUAL_PATIENCE, signal }: RecoveryOptions = {},
): Promise<Recovery> {
  let git = new Map<string, ReadonlySet<string> | undefined>();
  const invalidate = () => void (git = new Map());
  const events = {
    began(call: string) {
      invalidate();
      activity.began(call);
    },
    ended(call: string) {
      invalidate();
      activity.ended(call);
    },
    invalidate,
  };
  if (taken.state === "unknown") return { ...events, recoverable: () => undefined };
  const workspace = realpathSync(folder);
  const [entries, ignored] = await Promise.all([
    indexEntries(taken.store, taken.snapshot, signal),
    leftOut(taken.store, taken.snapshot, signal),
  ]);
  const known: Known = {
    workspace,
    entries,
    ignored: new Set(ignored),
    skipped: new Set(taken.skipped.map(({ path }) => path)),
    repositories: taken.snapshot.parts.map(({ path }) => path),
    wroteAt: activity.wroteAt,
    walkMs: patience.walk,
  };
  const cleanBelow = (path: string) => {
    if (!git.has(path)) git.set(path, cleanInIndex(taken, path, patience.git));
    return git.get(path);
  };
  return { ...events, recoverable: (path, scope = "all") => answer(path, scope, known, cleanBelow) };
}

interface Known {
  readonly workspace: string;
  readonly entries: ReadonlyMap<string, IndexEntry>;
  /** What was there at the start and is not in the snapshot, because git ignores it. A folder ends in a slash. */
  readonly ignored: ReadonlySet<string>;
  /** The same, because it was too large or could not be read. */
  readonly skipped: ReadonlySet<string>;
  /** The repositories that were there at the start. */
  readonly repositories: readonly string[];
  readonly wroteAt: (nanoseconds: bigint) => boolean;
  readonly walkMs: number;
}

type CleanBelow = (path: string) => ReadonlySet<string> | undefined;

const MAX_WALKED = 20_000;

function answer(given: string, scope: LossScope, known: Known, cleanBelow: CleanBelow): boolean | undefined {
  const { workspace } = known;
  try {
    const file = realFile(resolve(workspace, given));
    if (file === undefined) return true;
    if (!isInside(file, workspace)) return undefined;
    const top = relative(workspace, file);
    const waiting = [top];
    const end = performance.now() + known.walkMs;
    for (let walked = 0; waiting.length > 0; walked++) {
      if (walked > MAX_WALKED || performance.now() > end) return undefined;
      const path = waiting.pop() ?? "";
      const found = look(path, known, scope);
      if (typeof found === "object") for (const below of found.below) waiting.push(below);
      else if (found === "lost") return false;
      else if (found === "changed") {
        const clean = cleanBelow(top);
        if (clean?.has(path) !== true) return clean === undefined ? undefined : false;
      }
    }
    return true;
  } catch {
    return undefined;
  }
}

/** The path with the links of its folders followed; undefined when nothing is there. The last name is not followed. */
function realFile(path: string): string | undefined {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * `lost`: neither the snapshot nor git has it. `changed`: the snapshot does not have its present content. `untouched`:
 * it does not count in this scope.
 */
type Found = "restorable" | "untouched" | "changed" | "lost" | { readonly below: readonly string[] };

/** What one file is to the snapshot and the session; for a folder, what is in it. */
function look(path: string, known: Known, scope: LossScope): Found {
  // A name that is not UTF-8 cannot be looked up.
  if (path.includes("\uFFFD")) return "lost";
  const file = join(known.workspace, path);
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return "restorable";
  if (isIn(path, known.ignored) || isRepositoryData(path, known.repositories))
    return scope === "unignored" ? "untouched" : "lost";
  if (isIn(path, known.skipped)) return "lost";
  if (stat.isDirectory()) return { below: readdirSync(file).map((name) => join(path, name)) };
  const entry = known.entries.get(path);
  if (entry !== undefined && isUnchanged(file, stat, entry)) return "restorable";
  return known.wroteAt(stat.ctimeNs) ? "restorable" : "changed";
}

function isUnchanged(file: string, stat: BigIntStats, entry: IndexEntry): boolean {
  try {
    return hasContent(file, stat, entry);
  } catch {
    // Unreadable by now, so it was changed.
    return false;
  }
}

/** Whether the path, or a folder that it is in, is one of these. */
function isIn(path: string, places: ReadonlySet<string>): boolean {
  for (let place = path; place !== "." && place !== ""; place = dirname(place))
    if (places.has(`${place}/`)) return true;
  return places.has(path);
}

/** True inside the `.git` of a repository that was there at the start: no snapshot contains commits and branches. */
const isRepositoryData = (path: string, repositories: readonly string[]) =>
  repositories.some((repository) => path === `${repository}.git` || path.startsWith(`${repository}.git/`));

/** What is told about the tool calls of a session. */
interface CallEvents {
  readonly began: (call: string) => void;
  readonly ended: (call: string) => void;
}

/** When the session's own commands ran, so that its changes can be told from the user's. */
interface Activity extends CallEvents {
  /** Whether a call was running at this time, in nanoseconds since 1970. */
  readonly wroteAt: (nanoseconds: bigint) => boolean;
}

interface Span {
  readonly from: number;
  to: number;
}

/** Files carry the time of the kernel's last tick, so they may look a little older than they are. */
const TICK_MS = 20;

const MAX_SPANS = 10_000;

export function openActivity(now: () => number = Date.now): Activity {
  const running = new Set<string>();
  const spans: Span[] = [];
  const current = () => spans.at(-1);
  return {
    began(call) {
      const last = current();
      if (running.size === 0) {
        // Calls that follow each other closely are one span, so that the list stays short.
        if (last !== undefined && (last.to + TICK_MS >= now() || spans.length >= MAX_SPANS)) last.to = Infinity;
        else spans.push({ from: now(), to: Infinity });
      }
      running.add(call);
    },
    ended(call) {
      const last = current();
      if (running.delete(call) && running.size === 0 && last !== undefined) last.to = now();
    },
    wroteAt(nanoseconds) {
      const time = Number(nanoseconds / 1_000_000n);
      return spans.some(({ from, to }) => time >= from - TICK_MS && time <= to);
    },
  };
}
