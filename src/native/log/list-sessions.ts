import { chmodSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { logPath, sessionIds } from "./log-folder.ts";
import { type SessionSummary, summarise } from "./session-summary.ts";

const Row = z.object({
  id: z.string(),
  size: z.number(),
  cwd: z.string(),
  model: z.string(),
  updated: z.number(),
  title: z.string(),
  messages: z.number(),
  state: z.string(),
});

/**
 * Every session, newest first. The index caches the summary of each log; a log whose size or time changed is read
 * again.
 * A missing or broken index is rebuilt from the logs.
 */
export function listSessions(folder: string): readonly SessionSummary[] {
  const path = join(folder, "index.db");
  const ids = sessionIds(folder);
  if (ids.length === 0) return [];
  const ways = [
    () => listWith(path, folder, ids),
    () => {
      for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(`${path}${end}`, { force: true });
      return listWith(path, folder, ids);
    },
  ];
  for (const way of ways) {
    try {
      return newestFirst(way());
    } catch {
      // Fall back to a fresh index, then to none.
    }
  }
  // A full or read-only disk gets no index.
  return newestFirst(ids.map((id) => summarise(folder, id)));
}

const newestFirst = (summaries: readonly SessionSummary[]) =>
  summaries.toSorted((one, other) => other.updated - one.updated);

function listWith(path: string, folder: string, ids: readonly string[]): readonly SessionSummary[] {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    chmodSync(path, 0o600);
    database.exec(SCHEMA);
    const known = new Map(
      z
        .array(Row)
        .parse(database.prepare("SELECT * FROM sessions").all())
        .map((row) => [row.id, row]),
    );
    database.exec("BEGIN IMMEDIATE");
    const save = database.prepare(
      "INSERT OR REPLACE INTO sessions VALUES (:id, :size, :cwd, :model, :updated, :title, :messages, :state)",
    );
    const summaries = ids.map((id): SessionSummary => {
      const { size, mtimeMs } = statSync(logPath(folder, id), { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
      const row = known.get(id);
      if (row !== undefined && row.size === size && row.updated === Math.round(mtimeMs)) return row;
      const summary = summarise(folder, id);
      save.run({ ...summary, size });
      return summary;
    });
    const remove = database.prepare("DELETE FROM sessions WHERE id = ?");
    for (const id of known.keys()) if (!ids.includes(id)) remove.run(id);
    database.exec("COMMIT");
    return summaries;
  } finally {
    database.close();
  }
}

const SCHEMA = `CREATE TABLE IF NOT EXISTS sessions (
  id TEXT PRIMARY KEY, size INTEGER NOT NULL, cwd TEXT NOT NULL, model TEXT NOT NULL, updated INTEGER NOT NULL,
  title TEXT NOT NULL, messages INTEGER NOT NULL, state TEXT NOT NULL) STRICT`;
