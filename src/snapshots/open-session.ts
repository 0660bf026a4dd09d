import { rmSync, writeFileSync } from "node:fs";
import { ownFolder } from "../lib/process/folder-owner.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { openActivity, openRecovery, type Recovery, type RecoveryPatience } from "./recovery.ts";
import {
  activeFile,
  makeSessionFolder,
  pruneSnapshots,
  type SessionManifest,
  storeIn,
  touchActive,
  writeManifest,
} from "./saved-session.ts";
import { type SnapshotLimits, takeSnapshot, type TakenSnapshot } from "./take-snapshot.ts";

export interface SessionOrder {
  /** The user's signalbox folder. */
  readonly home: string;
  /** The id of the launch, run or conversation. `signalbox runs restore` takes it, or the id in `ready`. */
  readonly id: string;
  readonly agent: string;
  readonly workspace: string;
  readonly limits?: SnapshotLimits;
  readonly patience?: RecoveryPatience;
  readonly signal?: AbortSignal;
  /** It is taken before anybody needs it: at the end it is only kept if a call began, or `keep` was called. */
  readonly isEarly?: boolean;
}

/** A session whose snapshot is taken beside its start. Pass `recoverable` to the judge. */
export interface SnapshotSession extends Recovery {
  /** Resolves when the snapshot is stored or has failed. Never rejects. Wait for it before the first command runs. */
  readonly ready: Promise<SessionState>;
  readonly keep: () => void;
  readonly isKept: () => boolean;
  /** Records the end of the session. Later changes are the user's. */
  readonly end: () => Promise<void>;
}

type SessionState =
  | {
      readonly state: "taken";
      readonly id: string;
      readonly skipped: readonly string[];
      /** Where the snapshot is, for those who take more of them in the same store. */
      readonly folder: string;
      readonly taken: Extract<TakenSnapshot, { readonly state: "taken" }>;
    }
  | { readonly state: "unknown"; readonly because: string };

/** Starts taking the snapshot of a session and returns at once. Until it is there, `recoverable` answers undefined. */
export function openSnapshotSession(order: SessionOrder): SnapshotSession {
  const activity = openActivity();
  const stop = new AbortController();
  const signal = order.signal === undefined ? stop.signal : AbortSignal.any([order.signal, stop.signal]);
  let recovery: Recovery | undefined;
  let saved: SavedStart | undefined;
  let isKept = order.isEarly !== true;
  const keep = () => void (isKept = true);
  const start = async (): Promise<SessionState> => {
    saved = await saveStart(order, signal);
    const { id, folder, taken } = saved;
    if (taken.state === "unknown") return { state: "unknown", because: taken.because };
    const { workspace, patience } = order;
    const watch = { activity, signal };
    recovery = await openRecovery(workspace, taken, patience === undefined ? watch : { ...watch, patience });
    return { state: "taken", id, skipped: taken.skipped.map(({ path }) => path), folder, taken };
  };
  const ready = start().catch((error: unknown): SessionState => ({ state: "unknown", because: messageOf(error) }));
  return {
    ready,
    recoverable: (...asked) => recovery?.recoverable(...asked),
    invalidate: () => recovery?.invalidate(),
    keep,
    isKept: () => isKept,
    began(call) {
      keep();
      (recovery ?? activity).began(call);
    },
    ended(call) {
      (recovery ?? activity).ended(call);
      if (saved?.taken.state === "taken") touchActive(saved.folder);
    },
    async end() {
      stop.abort();
      await ready;
      if (isKept) saved?.end();
      else saved?.forget();
    },
  };
}

interface SavedStart {
  readonly id: string;
  readonly folder: string;
  readonly taken: TakenSnapshot;
  readonly end: () => void;
  readonly forget: () => void;
}

async function saveStart(order: SessionOrder, signal: AbortSignal): Promise<SavedStart> {
  const { home, agent, workspace, limits } = order;
  const { id, folder } = makeSessionFolder(home, order.id);
  const owned = ownFolder(folder);
  const started = new Date().toISOString();
  pruneSnapshots(home);
  const taken = await takeSnapshot({ workspace, store: storeIn(folder), signal, limits });
  const forget = () => {
    owned[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  };
  if (taken.state === "unknown") {
    forget();
    return { id, folder, taken, end: () => {}, forget: () => {} };
  }
  const { snapshot, skipped, modes } = taken;
  const manifest: SessionManifest = {
    version: 1,
    id,
    agent,
    workspace,
    started_at: started,
    ended_at: null,
    snapshot,
    skipped: [...skipped],
    modes: { ...modes },
    undo: null,
  };
  writeFileSync(activeFile(folder), "", { mode: 0o600 });
  writeManifest(folder, manifest);
  const end = () => {
    writeManifest(folder, { ...manifest, ended_at: new Date().toISOString() });
    owned[Symbol.dispose]();
  };
  return { id, folder, taken, end, forget };
}
