import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import * as z from "zod";
import { atomicWrite } from "../lib/files/atomic-write.ts";
import { folderNames } from "../lib/files/folder-tree.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import { newerFormat } from "../lib/json/file-format.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { gitNames } from "../lib/process/run-git.ts";
import { isMissing, messageOf } from "../lib/text/user-error.ts";
import { sessionSnapshot, snapshotsFolder, storeIn } from "./saved-session.ts";
import type { Snapshot, SnapshotStore } from "./snapshot.ts";
import { limitedFilter, type SnapshotLimits, USUAL_SNAPSHOT_LIMITS } from "./take-snapshot.ts";

const TURN_FORMAT = 1;

/** The permissions of all files of a snapshot. Git itself only knows whether a file is executable. */
const FileModes = z.object({
  /** The most frequent permissions of files that are not executable, and of those that are. */
  plain: z.int(),
  executable: z.int(),
  /** The permissions of all other files, by path. */
  others: z.record(z.string(), z.int()),
});

/** A workspace at one moment, with exact permissions. */
const WorkspaceState = z.object({
  snapshot: z.object({
    digest: z.string(),
    parts: z.array(z.object({ path: z.string(), tree: z.string() })).readonly(),
  }),
  modes: FileModes,
});

export type WorkspaceState = z.infer<typeof WorkspaceState>;

/**
 * What a workspace was like before the first change of a turn, and when the turn was over. A turn that was killed and
 * went on later has several of these.
 */
const TurnOnDisk = z.object({
  /** The prompt that the turn began with. */
  turn: z.string(),
  before: WorkspaceState,
  /** Null while the turn goes on, and if it was killed. */
  after: WorkspaceState.nullable(),
  /** Files that were there before and are not in the snapshot. */
  skipped: z.array(z.string()),
  /** Paths that somebody else may have changed before `after` was stored, because the turn was killed. */
  foreign: z.array(z.string()),
});

export type TurnOnDisk = z.infer<typeof TurnOnDisk>;

const StoredTurn = TurnOnDisk.extend({ version: z.literal(TURN_FORMAT) });

/** A stored turn state, with the snapshot folder that it belongs to. */
export interface SavedTurn {
  readonly file: string;
  readonly workspace: string;
  /** The id of the snapshot folder. */
  readonly id: string;
  readonly folder: string;
  readonly store: string;
  readonly state: TurnOnDisk;
}

const turnsIn = (folder: string) => join(folder, "turns");

/** Where the state of the next turn of a snapshot folder is stored. */
export const turnFile = (folder: string, number: number) =>
  join(turnsIn(folder), `${String(number).padStart(6, "0")}.json`);

export function writeTurn(file: string, state: TurnOnDisk): void {
  makeFolder(join(file, ".."));
  atomicWrite(file, `${JSON.stringify({ version: TURN_FORMAT, ...state })}\n`);
}

/** All turn states of a session, oldest first. Those that cannot be read are missing. */
export function savedTurns(home: string, session: string): readonly SavedTurn[] {
  const ids = folderNames(snapshotsFolder(home)).filter((name) => startOf(name, session) > 0);
  return ids
    .toSorted((one, other) => startOf(one, session) - startOf(other, session))
    .flatMap((id) => turnsOfFolder(home, id));
}

/** Which start of the session a snapshot folder belongs to; 0 if it is not one of this session. */
function startOf(name: string, session: string): number {
  if (name === session) return 1;
  const number = name.startsWith(`${session}-`) ? name.slice(session.length + 1) : "";
  return /^[1-9][0-9]{0,8}$/.test(number) ? Number(number) : 0;
}

function turnsOfFolder(home: string, id: string): readonly SavedTurn[] {
  const saved = sessionSnapshot(home, id);
  if (saved === undefined) return [];
  const { folder, manifest } = saved;
  return folderNames(turnsIn(folder)).flatMap((name) => {
    const file = join(turnsIn(folder), name);
    const state = readTurn(file);
    return state === undefined
      ? []
      : [{ file, id, folder, workspace: manifest.workspace, store: storeIn(folder), state }];
  });
}

function readTurn(file: string): TurnOnDisk | undefined {
  try {
    const raw: unknown = parseJson(readFileSync(file, "utf8"));
    return newerFormat(raw, TURN_FORMAT) === undefined ? StoredTurn.parse(raw) : undefined;
  } catch {
    // A turn without its state cannot be taken back, which is said where somebody wants to.
    return undefined;
  }
}

interface TakenState {
  readonly state: WorkspaceState;
  /** Files that are there and not in the snapshot. */
  readonly skipped: readonly string[];
  readonly known: KnownModes;
}

/**
 * Takes another snapshot in a store that has one already. `last` are the permissions that were read with the one before
 * it, if the same store took it. Throws in plain words if a limit is reached.
 */
export async function takeState(
  store: SnapshotStore,
  limits: SnapshotLimits = USUAL_SNAPSHOT_LIMITS,
  last?: KnownModes,
): Promise<TakenState> {
  const signal = AbortSignal.timeout(limits.milliseconds);
  const filter = limitedFilter(store.root, limits, signal);
  try {
    let before = last;
    const onUnknown = () => void (before = undefined);
    const snapshot = await store.take({ signal, filter: filter.choose, exact: true, onUnknown });
    const known = await (before === undefined
      ? readModes(store, snapshot, signal)
      : changedModes(store.root, filter.seen, before));
    return { state: { snapshot, modes: known.modes }, skipped: filter.skipped.map(({ path }) => path), known };
  } catch (error) {
    throw new Error(signal.aborted ? `it took longer than ${limits.milliseconds} ms` : messageOf(error), {
      cause: error,
    });
  }
}

type FileModes = z.infer<typeof FileModes>;

/** The permissions of all files at one moment. */
export interface KnownModes {
  readonly modes: FileModes;
  /** Files whose permissions can change without git noticing, which compares whole seconds. */
  readonly young: readonly string[];
}

/** Reads the permissions of the files in the snapshot that a store took last. */
export async function readModes(store: SnapshotStore, snapshot: Snapshot, signal?: AbortSignal): Promise<KnownModes> {
  const lists = await Promise.all(snapshot.parts.map(({ path }) => filesIn(store, path, signal)));
  const { found, young } = await look(store.root, lists.flat());
  const [plain, executable] = [usual(found, false) ?? 0o644, usual(found, true) ?? 0o755];
  const others = [...found].filter(([, mode]) => mode !== (isExecutable(mode) ? executable : plain));
  return { modes: { plain, executable, others: Object.fromEntries(others) }, young };
}

/** Git lists a file again whose permissions have changed, unless it was young. */
async function changedModes(root: string, listed: readonly string[], last: KnownModes): Promise<KnownModes> {
  const { found, young } = await look(root, new Set([...listed, ...last.young]));
  if (found.size === 0) return { modes: last.modes, young };
  const { plain, executable } = last.modes;
  const others = new Map(Object.entries(last.modes.others));
  for (const [path, mode] of found)
    if (mode === (isExecutable(mode) ? executable : plain)) others.delete(path);
    else others.set(path, mode);
  return { modes: { plain, executable, others: Object.fromEntries(others) }, young };
}

/** The kernel's clock ticks more coarsely than ours. */
const TICK_MS = 20;

/** Undefined for what is gone, also where a file is in the place of its folder. */
function statOf(file: string) {
  try {
    return lstatSync(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function look(root: string, paths: Iterable<string>) {
  const found = new Map<string, number>();
  const young: string[] = [];
  const second = Math.floor((Date.now() - TICK_MS) / 1000);
  for (const path of paths) {
    const stat = statOf(join(root, path));
    if (stat?.isFile() !== true) continue;
    found.set(path, stat.mode & 0o7777);
    if (Math.floor(stat.ctimeMs / 1000) >= second) young.push(path);
    if (found.size % 5000 === 4999) await nextTurn();
  }
  return { found, young };
}

/** The permissions of a file that git has with this mode. */
export const modeOf = ({ plain, executable, others }: FileModes, path: string, gitMode: string): number =>
  (Object.hasOwn(others, path) ? others[path] : undefined) ?? (gitMode === "100755" ? executable : plain);

const isExecutable = (mode: number) => (mode & 0o100) !== 0;

function usual(modes: ReadonlyMap<string, number>, executable: boolean): number | undefined {
  const counts = new Map<number, number>();
  for (const mode of modes.values())
    if (isExecutable(mode) === executable) counts.set(mode, (counts.get(mode) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
}

async function filesIn(
  store: SnapshotStore,
  part: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const shadow = store.shadow(part);
  if (shadow === undefined) return [];
  const { call, prefix } = shadow;
  const where = prefix === "" ? [] : ["--", prefix];
  const names = await gitNames(["ls-files", "-z", ...where], { ...call, signal });
  return names.map((name) => join(part, name.slice(prefix.length)));
}
