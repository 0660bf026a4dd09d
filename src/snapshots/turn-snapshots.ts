import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { changedFiles } from "./changes.ts";
import { oneAtATime } from "../lib/process/tasks.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { openSnapshotSession, type SessionOrder, type SnapshotSession } from "./open-session.ts";
import { activeFile, touchActive } from "./saved-session.ts";
import { openSnapshots, type SnapshotStore } from "./snapshot.ts";
import { stateChanges } from "./state-changes.ts";
import type { TakenSnapshot } from "./take-snapshot.ts";
import {
  type KnownModes,
  readModes,
  type SavedTurn,
  savedTurns,
  type TurnOnDisk,
  takeState,
  turnFile,
  writeTurn,
} from "./turn-states.ts";

/** Stores what the workspace is like before and after each turn that changes something. */
export interface TurnSnapshots extends AsyncDisposable {
  /** The snapshot of the session's start. The first call of this, of `prepare` or of `before` takes it. */
  readonly session: () => SnapshotSession;
  /** Takes it while nobody waits. It is only kept if it is needed. */
  readonly prepare: () => void;
  /**
   * Must be waited for before a call of this turn changes something. Only the first one of a turn takes time. Never
   * rejects: where no snapshot can be taken, that is said once, and the turn goes on.
   */
  readonly before: (turn: string) => Promise<void>;
  /** A call of the turn has ended. */
  readonly touched: () => void;
  /** The turn is over. What it left is stored beside whatever happens next; `settled` waits for it. */
  readonly after: () => void;
  readonly settled: () => Promise<void>;
  /** What differs from the start, as lines of `git status`; undefined where no snapshot was taken. For after the end. */
  readonly changes: () => Promise<readonly string[] | undefined>;
}

interface TurnOrder extends SessionOrder {
  /** Where the snapshot of a turn is, or why there is none. Called once for each turn that changes something. */
  readonly onTurn: (turn: string, saved: { readonly id: string } | { readonly because: string }) => void;
  readonly warn: (text: string) => void;
}

interface OpenTurn {
  readonly turn: string;
  readonly ready: Promise<void>;
  /** Set when the state before it is stored. */
  saved?: { readonly file: string; readonly state: TurnOnDisk };
}

/** A snapshot that is not older than this is one of now. */
const FRESH_MS = 250;

export function openTurnSnapshots(order: TurnOrder): TurnSnapshots {
  const inTurn = oneAtATime();
  const start = sessionStart(order);
  const taking = turnTaker(order, start);
  let current: OpenTurn | undefined;
  const after = () => {
    const ended = current;
    current = undefined;
    // Without it, later changes of files are told from the turn's own by their time.
    if (ended !== undefined) void inTurn(() => taking.finish(ended)).catch(() => undefined);
  };
  return {
    session: start.session,
    prepare: start.prepare,
    before(turn) {
      if (current?.turn === turn) return current.ready;
      after();
      const open: OpenTurn = { turn, ready: inTurn(() => taking.begin(open)) };
      current = open;
      return open.ready;
    },
    touched: () => taking.touched(),
    after,
    settled: () => inTurn(async () => undefined),
    changes: () => inTurn(() => changesSince(start, taking.compared())),
    async [Symbol.asyncDispose]() {
      after();
      await inTurn(async () => undefined);
      await start.opened()?.end();
    },
  };
}

interface SessionStart {
  readonly session: () => SnapshotSession;
  readonly prepare: () => void;
  readonly opened: () => SnapshotSession | undefined;
  /** The permissions of the files in its snapshot. */
  readonly modes: (taken: Taken) => Promise<KnownModes>;
  /** Whether its snapshot is so young that it can be the first turn's as well. One that was prepared is not. */
  readonly isFresh: () => boolean;
}

type Taken = Extract<TakenSnapshot, { readonly state: "taken" }>;

function sessionStart(order: TurnOrder): SessionStart {
  let opened: SnapshotSession | undefined;
  let takenAt = -Infinity;
  let known: ReturnType<typeof readModes> | undefined;
  const open = () => (opened ??= openSnapshotSession({ ...order, isEarly: true }));
  const modes = ({ store, snapshot }: Taken) => (known ??= readModes(store, snapshot));
  return {
    session() {
      if (opened === undefined) {
        const began = performance.now();
        void open().ready.then(() => (takenAt = began));
      }
      return open();
    },
    prepare() {
      // What is wrong is told to the turn that needs it.
      const { ready } = open();
      void ready.then((state) => (state.state === "taken" ? modes(state.taken) : undefined)).catch(() => undefined);
    },
    opened: () => opened,
    modes,
    isFresh: () => performance.now() - takenAt < FRESH_MS,
  };
}

/** Stores the states of turns, one after the other. */
function turnTaker(order: TurnOrder, start: SessionStart) {
  let count = 0;
  let broken: string | undefined;
  let folder: string | undefined;
  let last: KnownModes | undefined;
  let compared: Compared | undefined;
  const take = async (store: SnapshotStore) => {
    const before = last;
    last = undefined;
    const taken = await takeState(store, order.limits, before);
    last = taken.known;
    return taken;
  };
  const fail = (turn: string, because: string) => {
    if (broken === undefined) order.warn(`this turn cannot be undone: no snapshot was taken (${because})`);
    broken ??= because;
    order.onTurn(turn, { because });
  };
  return {
    async begin(open: OpenTurn): Promise<void> {
      const { turn } = open;
      if (broken !== undefined) return fail(turn, broken);
      if (count === 0) await closeKilled(order);
      const session = start.session();
      session.keep();
      const first = await session.ready;
      if (first.state === "unknown") return fail(turn, first.because);
      const { store, snapshot, skipped } = first.taken;
      ({ folder } = first);
      try {
        if (count === 0) last = await start.modes(first.taken);
        const taken =
          count === 0 && last !== undefined && start.isFresh()
            ? { state: { snapshot, modes: last.modes }, skipped: skipped.map(({ path }) => path) }
            : await take(store);
        const state = { turn, before: taken.state, after: null, skipped: [...taken.skipped], foreign: [] };
        const file = turnFile(folder, ++count);
        writeTurn(file, state);
        order.onTurn(turn, { id: first.id });
        open.saved = { file, state };
      } catch (error) {
        fail(turn, messageOf(error));
      }
    },
    async finish({ saved }: OpenTurn): Promise<void> {
      const first = await start.opened()?.ready;
      if (saved === undefined || first?.state !== "taken") return;
      const { store, snapshot } = first.taken;
      const { state: after } = await take(store);
      compared = { digest: after.snapshot.digest, files: changedFiles(store, snapshot, after.snapshot) };
      compared.files.catch(() => undefined);
      writeTurn(saved.file, { ...saved.state, after });
    },
    compared: () => compared,
    touched() {
      if (folder !== undefined) touchActive(folder);
    },
  };
}

interface Compared {
  readonly digest: string;
  readonly files: Promise<readonly string[]>;
}

/** What changed since the start. `compared` is what the last turn left, with its changes. */
async function changesSince(start: SessionStart, compared: Compared | undefined) {
  const session = start.opened();
  const first = await session?.ready;
  if (session?.isKept() !== true || first?.state !== "taken") return undefined;
  const { store, snapshot } = first.taken;
  const now = await store.take();
  return await (compared?.digest === now.digest ? compared.files : changedFiles(store, snapshot, now));
}

/** A turn whose process was killed never stored what it left. */
async function closeKilled({ home, id }: TurnOrder): Promise<void> {
  for (const saved of savedTurns(home, id)) if (saved.state.after === null) await closeTurn(saved);
}

/** The kernel's clock ticks more coarsely than ours. */
const TICK_MS = 20;

/**
 * Stores what a turn left whose process was killed. Files that were changed after its last call had ended may be
 * somebody else's work, and are marked as such. Returns the turn as it was, if that is not possible.
 */
export async function closeTurn(saved: SavedTurn): Promise<SavedTurn> {
  const { state, store: place, workspace, folder, file } = saved;
  try {
    const store = openSnapshots(workspace, place, state.before.snapshot);
    const { state: after } = await takeState(store);
    const end = statSync(activeFile(folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const { files } = await stateChanges(store, state.before, after);
    const foreign = [...files.keys()].filter((path) => {
      const stat = lstatSync(join(workspace, path), { throwIfNoEntry: false });
      return stat !== undefined && stat.ctimeMs > end + TICK_MS;
    });
    const closed = { ...state, after, foreign };
    writeTurn(file, closed);
    return { ...saved, state: closed };
  } catch {
    // Without what it left, every file counts as somebody else's.
    return saved;
  }
}
