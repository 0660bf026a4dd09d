import { watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BoardEntry } from "../contract/board-entry.ts";
import { launchesFolder } from "../hooks/server-protocol.ts";
import { logPath, sessionsPlace } from "../native/log/log-folder.ts";
import { runsFolder } from "../receipts/run/run-log.ts";
import { launchFolder } from "./launches.ts";
import type { Board, BoardReader } from "./read-board.ts";

/** A board, and the number of its change. */
export interface SeenBoard extends Board {
  readonly seq: number;
}

/** Nobody tells when a process dies, or when something has been quiet for long. */
const POLL_MS = 1000;

/** What is written in one go is read once. */
const SETTLE_MS = 15;

/** The board, and again whenever it has changed, until the signal. */
export async function* watchBoard(reader: BoardReader, signal: AbortSignal): AsyncGenerator<SeenBoard> {
  const changes = openChanges();
  try {
    let last = "";
    for (let seq = 1; !signal.aborted;) {
      const started = performance.now();
      const board = reader.read();
      const text = JSON.stringify(board);
      if (text !== last) yield { ...board, seq: seq++ };
      last = text;
      changes.look(placesOf(reader.home, board.entries));
      // A home with very many runs must not keep a processor busy.
      const rest = SETTLE_MS + 4 * (performance.now() - started);
      await changes.wait(signal);
      await sleep(rest, undefined, { signal, ref: true }).catch(() => {});
    }
  } finally {
    changes[Symbol.dispose]();
  }
}

function placesOf(home: string, entries: readonly BoardEntry[]): readonly string[] {
  const live = entries.filter(({ isLive }) => isLive);
  return [
    launchesFolder(home),
    runsFolder(home),
    sessionsPlace(home),
    join(home, "receipts"),
    ...live.flatMap(({ kind, id }) => {
      if (kind === "launch") return launchFolder(home, id) ?? [];
      return kind === "run" ? join(runsFolder(home), id) : logPath(sessionsPlace(home), id);
    }),
  ];
}

/** Waits until one of the places changes, or for a second. */
function openChanges() {
  const watchers = new Map<string, ReturnType<typeof watch>>();
  let isChanged = false;
  let wake = () => {};
  const changed = () => {
    isChanged = true;
    wake();
  };
  const forget = (path: string) => {
    watchers.get(path)?.close();
    watchers.delete(path);
  };
  return {
    look(places: readonly string[]) {
      for (const path of watchers.keys()) if (!places.includes(path)) forget(path);
      for (const path of places) {
        if (watchers.has(path)) continue;
        try {
          const watcher = watch(path, { persistent: false }, changed);
          watcher.on("error", () => forget(path));
          watchers.set(path, watcher);
        } catch {
          // It is not there yet, or there are too many watches. The next look comes within a second.
        }
      }
    },
    async wait(signal: AbortSignal): Promise<void> {
      if (!isChanged && !signal.aborted) {
        const woken = new Promise<void>((resolve) => (wake = resolve));
        const late = new AbortController();
        await Promise.race([
          woken,
          sleep(POLL_MS, undefined, { signal: AbortSignal.any([signal, late.signal]) }).catch(() => {}),
        ]);
        late.abort();
      }
      isChanged = false;
    },
    [Symbol.dispose]() {
      watchers.forEach((_, path) => forget(path));
    },
  };
}
