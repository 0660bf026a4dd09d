import { chmodSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { printable } from "../../lib/text/printable.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { agentsPath, findSession, logPath, sessionIds } from "./log-folder.ts";
import { readLog, type SessionLog } from "./read-log.ts";
import { replay } from "./replay.ts";

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
  // Loaded with the first list: who only asks for a title does not pay for it.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
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

/** One line of a list of sessions. */
export interface SessionSummary {
  readonly id: string;
  readonly cwd: string;
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly updated: number;
  /** The first prompt, shortened. */
  readonly title: string;
  readonly messages: number;
  /** `rested: why`, `interrupted`, `empty`, `newer`, `damaged` or `unreadable`. */
  readonly state: string;
}

/** Reads a log for the list. An unreadable log is listed too, so that the user learns about it. */
export function summarise(folder: string, id: string): SessionSummary {
  const updated = Math.round(statSync(logPath(folder, id), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  try {
    const log = readLog(logPath(folder, id));
    const { history, queued, model, rested } = replay(log.records.map(({ record }) => record));
    const asked = history.find((message) => message.role === "user" && message.source === "person");
    const first = asked?.role === "user" ? asked.text : (queued[0]?.message.text ?? "");
    const whole = rested === undefined ? "interrupted" : `rested: ${rested}`;
    const damage = log.damage?.newer === true ? "newer" : "damaged";
    const state = log.damage !== undefined ? damage : log.header === undefined ? "empty" : whole;
    return {
      id,
      cwd: log.header?.cwd ?? "",
      model,
      updated,
      title: sessionTitle(first),
      messages: history.length,
      state,
    };
  } catch {
    return { id, cwd: "", model: "", updated, title: "", messages: 0, state: "unreadable" };
  }
}

const MAX_TITLE = 80;

/** What a session is called: the beginning of its first prompt. */
export function sessionTitle(text: string): string {
  const line = printable(text.trim().split("\n")[0] ?? "").replaceAll("\n", " ");
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
}

/** One line about a sub-agent of a session. */
interface SubAgentSummary {
  readonly id: string;
  readonly description: string;
  readonly model: string;
  /** Why it ended, or `interrupted`. */
  readonly state: string;
}

/** The sub-agents of a session, in the order in which they began. */
export const listAgents = (folder: string, session: string): readonly SubAgentSummary[] =>
  readAgentLogs(folder, session).map(({ id, log }) => {
    const { model, rested } = replay(log.records.map(({ record }) => record));
    return { id, description: log.header?.subAgent?.description ?? "", model, state: rested ?? "interrupted" };
  });

/** The logs of a session's sub-agents that can be read, in the order in which they began. */
export function readAgentLogs(folder: string, session: string): readonly { id: string; log: SessionLog }[] {
  const place = agentsPath(folder, session);
  return agentIds(place).flatMap((id) => {
    try {
      return [{ id, log: readLog(logPath(place, id)) }];
    } catch {
      // Without its log nothing is known about it; the call that started it says that it was lost.
      return [];
    }
  });
}

/** The log that a person means by `session` or `session/agent`. */
export function findLog(folder: string, wanted: string, cwd: string): { readonly id: string; readonly path: string } {
  const slash = wanted.indexOf("/");
  const id = findSession(folder, slash === -1 ? wanted : wanted.slice(0, slash), cwd);
  if (slash === -1) return { id, path: logPath(folder, id) };
  const agent = wanted.slice(slash + 1);
  const place = agentsPath(folder, id);
  if (agentIds(place).includes(agent)) return { id: `${id}/${agent}`, path: logPath(place, agent) };
  throw new UserError(`the session has no sub-agent "${agent}"`, {
    where: id,
    fix: `list them with: signalbox sessions show ${id}`,
  });
}

/** The number of the sub-agent that began last; 0 without any. */
export const lastAgentNumber = (folder: string, session: string): number =>
  numberOf(agentIds(agentsPath(folder, session)).at(-1) ?? "");

const numberOf = (id: string) => Number(/-(\d{1,9})$/.exec(id)?.[1] ?? 0);

function agentIds(place: string): readonly string[] {
  return namesIn(place)
    .flatMap((name) => (name.endsWith(".jsonl") ? [name.slice(0, -".jsonl".length)] : []))
    .filter((id) => numberOf(id) > 0)
    .toSorted((one, other) => numberOf(one) - numberOf(other));
}

/** None where the session never had a sub-agent. */
function namesIn(place: string): readonly string[] {
  try {
    return readdirSync(place);
  } catch {
    return [];
  }
}
