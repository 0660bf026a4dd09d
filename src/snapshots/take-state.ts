import { messageOf } from "../lib/message-of.ts";
import { readModes } from "./file-modes.ts";
import type { SnapshotStore } from "./snapshot.ts";
import { limitedFilter, type SnapshotLimits, USUAL_SNAPSHOT_LIMITS } from "./take-snapshot.ts";
import type { WorkspaceState } from "./turn-states.ts";

interface TakenState {
  readonly state: WorkspaceState;
  /** Files that are there and not in the snapshot. */
  readonly skipped: readonly string[];
}

/** Takes another snapshot in a store that has one already. Throws in plain words if a limit is reached. */
export async function takeState(
  store: SnapshotStore,
  limits: SnapshotLimits = USUAL_SNAPSHOT_LIMITS,
): Promise<TakenState> {
  const signal = AbortSignal.timeout(limits.milliseconds);
  const filter = limitedFilter(store.root, limits, signal);
  try {
    const snapshot = await store.take({ signal, filter: filter.choose, exact: true });
    const modes = await readModes(store, snapshot, signal);
    return { state: { snapshot, modes }, skipped: filter.skipped.map(({ path }) => path) };
  } catch (error) {
    throw new Error(signal.aborted ? `it took longer than ${limits.milliseconds} ms` : messageOf(error), {
      cause: error,
    });
  }
}
