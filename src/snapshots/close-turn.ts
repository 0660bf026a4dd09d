import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { activeFile } from "./saved-session.ts";
import { openSnapshots } from "./snapshot.ts";
import { takeState } from "./take-state.ts";
import { stateChanges } from "./state-changes.ts";
import { type SavedTurn, writeTurn } from "./turn-states.ts";

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
