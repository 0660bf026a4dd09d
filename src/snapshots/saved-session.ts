import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import { atomicWrite } from "../lib/files/atomic-write.ts";
import { folderNames } from "../lib/files/folder-tree.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import {
  lastChanged,
  type PruneCandidate,
  pruneFolder,
  type PruneOrder,
  type PruneReport,
} from "../lib/files/prune.ts";
import { newerFormat, withoutUpdate, withUpdate } from "../lib/json/file-format.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { type Life, OWNER_FILES, ownerLife, ownerOf } from "../lib/process/folder-owner.ts";
import { errorCode, UserError } from "../lib/text/user-error.ts";
import type { RestoreReport, SavedSnapshot } from "./restore.ts";

const Content = z.object({
  snapshot: z.object({
    digest: z.string(),
    parts: z.array(z.object({ path: z.string(), tree: z.string() })).readonly(),
  }),
  modes: z.record(z.string(), z.number()).default({}),
});

const SNAPSHOT_FORMAT = 1;

/** What is stored beside the snapshot of a session, in `session.json`. */
const SessionManifest = Content.extend({
  version: z.literal(SNAPSHOT_FORMAT),
  id: z.string(),
  agent: z.string(),
  workspace: z.string(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  skipped: z.array(z.object({ path: z.string(), because: z.string() })).default([]),
  /** The workspace before the last restore, and when that was done. */
  undo: Content.extend({ at: z.string() }).nullable().default(null),
});

export type SessionManifest = z.infer<typeof SessionManifest>;

/** A session whose workspace can be restored. */
export interface SavedSession {
  readonly folder: string;
  readonly manifest: SessionManifest;
}

export const snapshotsFolder = (home: string) => join(home, "snapshots");

export const sessionFolder = (home: string, id: string) => join(snapshotsFolder(home), id);

export const storeIn = (folder: string) => join(folder, "store");

const manifestIn = (folder: string) => join(folder, "session.json");

/** Touched when a tool call ends, so that the end of a killed session is known. */
export const activeFile = (folder: string) => join(folder, "active");

/** Remembers that a tool call has ended now. */
export function touchActive(folder: string): void {
  const now = new Date();
  try {
    utimesSync(activeFile(folder), now, now);
  } catch {
    // Only the time of a killed session's end becomes less exact.
  }
}

const ID = /^[0-9a-z-]{4,64}$/i;

/** Creates the private folder of a session's snapshot. A session that is resumed gets another one: `ID-2`. */
export function makeSessionFolder(home: string, wanted: string): { readonly id: string; readonly folder: string } {
  if (!ID.test(wanted)) throw new Error(`not a session id: ${wanted}`);
  makeFolder(snapshotsFolder(home));
  // The home may be inside the workspace. Our files there are not the agent's work.
  if (!existsSync(join(home, ".gitignore"))) atomicWrite(join(home, ".gitignore"), "*\n");
  for (let start = 1; ; start++) {
    const id = start === 1 ? wanted : `${wanted}-${start}`;
    const folder = sessionFolder(home, id);
    try {
      mkdirSync(folder, { mode: 0o700 });
      return { id, folder };
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

export function writeManifest(folder: string, manifest: SessionManifest): void {
  atomicWrite(manifestIn(folder), `${JSON.stringify(manifest)}\n`);
}

/** All sessions with a snapshot, oldest first. A folder without a complete manifest has none. */
export function listSnapshots(home: string): SavedSession[] {
  return folderNames(snapshotsFolder(home))
    .flatMap((name) => sessionSnapshot(home, name) ?? [])
    .toSorted((one, other) => (one.manifest.started_at < other.manifest.started_at ? -1 : 1));
}

/** The stored snapshot of one session, or undefined. */
export function sessionSnapshot(home: string, id: string): SavedSession | undefined {
  const read = readSnapshot(home, id);
  return typeof read === "object" ? read : undefined;
}

/** The same. A text says that a newer signalbox wrote it. */
function readSnapshot(home: string, id: string): SavedSession | string | undefined {
  if (!ID.test(id)) return undefined;
  const folder = sessionFolder(home, id);
  try {
    const raw: unknown = parseJson(readFileSync(manifestIn(folder), "utf8"));
    const newer = newerFormat(raw, SNAPSHOT_FORMAT);
    if (newer !== undefined) return withUpdate(newer);
    return { folder, manifest: SessionManifest.parse(raw) };
  } catch {
    // Missing, or incomplete because signalbox was killed.
    return undefined;
  }
}

/** Snapshots that a newer signalbox wrote. They are neither listed nor removed. */
export function newerSnapshots(home: string): readonly { readonly id: string; readonly because: string }[] {
  return folderNames(snapshotsFolder(home)).flatMap((id) => {
    const read = readSnapshot(home, id);
    return typeof read === "string" ? [{ id, because: read }] : [];
  });
}

/** The session with this id or the beginning of one. `last` is the one that started most recently. */
export function findSnapshot(home: string, name: string): SavedSession {
  const all = listSnapshots(home);
  const beginning = ID.test(name) ? all.filter(({ manifest }) => manifest.id.startsWith(name)) : [];
  const exact = beginning.filter(({ manifest }) => manifest.id === name);
  const found = name === "last" ? all.slice(-1) : exact.length === 1 ? exact : beginning;
  const [session] = found;
  if (session !== undefined && found.length === 1) return session;
  const newer = newerSnapshots(home).find(({ id }) => ID.test(name) && id.startsWith(name));
  if (session === undefined && newer !== undefined)
    throw new UserError(withoutUpdate(newer.because), {
      where: sessionFolder(home, newer.id),
      fix: "update signalbox",
    });
  throw new UserError(session === undefined ? "no snapshot of such a run or session" : `${found.length} match`, {
    where: name,
    fix: "'signalbox runs' lists what can be restored; snapshots are kept for two weeks",
  });
}

/** Whether the session is still running. */
export function sessionLife({ folder, manifest }: SavedSession): Life {
  return manifest.ended_at === null ? ownerLife(folder) : "dead";
}

/** The form in which `restoreSnapshot` takes it. */
export function savedSnapshot({ folder, manifest }: SavedSession): SavedSnapshot {
  const { workspace, snapshot, modes } = manifest;
  return { workspace, store: storeIn(folder), snapshot, modes, endedAt: endOf({ folder, manifest }) };
}

/** The workspace before the last restore; undefined if there was none. */
export function undoSnapshot(session: SavedSession): SavedSnapshot | undefined {
  const { undo } = session.manifest;
  if (undo === null) return undefined;
  const { snapshot, modes, at } = undo;
  return { ...savedSnapshot(session), snapshot, modes, endedAt: Date.parse(at) };
}

/** Remembers what a restore replaced, for `undoSnapshot`. */
export function recordRestore({ folder, manifest }: SavedSession, { snapshot, modes }: RestoreReport["undo"]): void {
  writeManifest(folder, { ...manifest, undo: { snapshot, modes: { ...modes }, at: new Date().toISOString() } });
}

interface EndedSession extends Pick<SessionManifest, "id" | "agent" | "workspace" | "started_at" | "snapshot"> {
  readonly ended_at: string;
}

/** Keeps the snapshot of a session that has ended, by moving the folder that it was taken in. */
export function adoptSnapshot(home: string, store: string, session: EndedSession): void {
  pruneSnapshots(home);
  const { id, folder } = makeSessionFolder(home, session.id);
  renameSync(store, storeIn(folder));
  writeManifest(folder, { ...session, id, version: 1, skipped: [], modes: {}, undo: null });
}

/** Of a session that was killed, the end of its last call. */
function endOf({ folder, manifest }: SavedSession): number | undefined {
  if (manifest.ended_at !== null) return Date.parse(manifest.ended_at);
  return statSync(activeFile(folder), { throwIfNoEntry: false })?.mtimeMs;
}

interface Retention {
  readonly sessions: number;
  readonly days: number;
}

const USUAL_RETENTION: Retention = { sessions: 50, days: 14 };

const DAY_MS = 86_400_000;

/** Removes old snapshots, and what killed sessions left unfinished. Never touches a session that may be alive. */
export function pruneSnapshots(home: string, { sessions, days }: Retention = USUAL_RETENTION): void {
  const kept = listSnapshots(home);
  const oldest = new Date(Date.now() - days * DAY_MS).toISOString();
  const old = kept.filter(({ manifest }, index) => manifest.started_at < oldest || index < kept.length - sessions);
  const known = new Set(kept.map(({ folder }) => folder));
  const newer = new Set(newerSnapshots(home).map(({ id }) => sessionFolder(home, id)));
  const unfinished = folderNames(snapshotsFolder(home))
    .map((name) => sessionFolder(home, name))
    .filter((folder) => !known.has(folder) && !newer.has(folder) && isAbandoned(folder));
  for (const session of old) if (sessionLife(session) !== "alive") removeSession(session.folder);
  for (const folder of unfinished) removeSession(folder);
}

/** A folder without an owner may just be being created, so only an old one counts. */
function isAbandoned(folder: string): boolean {
  if (ownerOf(folder) !== undefined) return ownerLife(folder) === "dead";
  const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
  return made !== undefined && made < Date.now() - DAY_MS;
}

/** The owner files go last: without them nobody could tell whether the rest may be removed. */
function removeSession(folder: string): void {
  for (const name of folderNames(folder).filter((each) => !OWNER_FILES.some((file) => file === each)))
    rmSync(join(folder, name), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

/** Removes old snapshots whose id the caller asks for. A session that may be alive keeps its own. */
export const pruneSaved = (order: PruneOrder, wants: (id: string) => boolean): PruneReport =>
  pruneFolder(snapshotsFolder(order.home), order, (name) => (wants(name) ? candidate(order.home, name) : undefined));

function candidate(home: string, name: string): PruneCandidate {
  const folder = sessionFolder(home, name);
  const read = readSnapshot(home, name);
  const saved = typeof read === "object" ? read : undefined;
  return {
    what: `snapshot ${basename(folder)}`,
    used: saved === undefined ? lastChanged(folder) : usedAt(saved),
    paths: [folder],
    mayGo() {
      if (typeof read === "string") return read;
      // An ended session has no owner, unless somebody is just restoring it.
      if (ownerOf(folder) !== undefined)
        return ownerLife(folder) === "dead" ? undefined : "its session may still be active";
      return saved === undefined || saved.manifest.ended_at !== null ? undefined : "its session may still be active";
    },
  };
}

function usedAt({ folder, manifest }: SavedSession): number {
  const at = Date.parse(manifest.ended_at ?? manifest.started_at);
  // A restore rewrites the manifest, which changes the time of the folder.
  return Math.max(Number.isNaN(at) ? Infinity : at, lastChanged(folder));
}
