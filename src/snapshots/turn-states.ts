import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { atomicWrite } from "../lib/atomic-write.ts";
import { newerFormat } from "../lib/file-format.ts";
import { folderNames } from "../lib/folder-names.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { parseJson } from "../lib/parse-json.ts";
import { FileModes } from "./file-modes.ts";
import { sessionSnapshot, snapshotsFolder, storeIn } from "./saved-session.ts";

const TURN_FORMAT = 1;

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
const StoredTurn = z.object({
  version: z.literal(TURN_FORMAT),
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
export type StoredTurn = z.infer<typeof StoredTurn>;

/** A stored turn state, with the snapshot folder that it belongs to. */
export interface SavedTurn {
  readonly file: string;
  readonly workspace: string;
  /** The id of the snapshot folder. */
  readonly id: string;
  readonly folder: string;
  readonly store: string;
  readonly state: StoredTurn;
}

const turnsIn = (folder: string) => join(folder, "turns");

/** Where the state of the next turn of a snapshot folder is stored. */
export const turnFile = (folder: string, number: number) =>
  join(turnsIn(folder), `${String(number).padStart(6, "0")}.json`);

export function writeTurn(file: string, state: Omit<StoredTurn, "version">): void {
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

function readTurn(file: string): StoredTurn | undefined {
  try {
    const raw: unknown = parseJson(readFileSync(file, "utf8"));
    return newerFormat(raw, TURN_FORMAT) === undefined ? StoredTurn.parse(raw) : undefined;
  } catch {
    // A turn without its state cannot be taken back, which is said where somebody wants to.
    return undefined;
  }
}
