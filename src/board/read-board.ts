import { BOARD_STATES, type BoardEntry } from "../contract/board-entry.ts";
import type { SealPredicate } from "../contract/seal.ts";
import { namesIn } from "../lib/files/folder-tree.ts";
import { errorCode, messageOf } from "../lib/text/user-error.ts";
import { workOfSession } from "../receipts/seal/find-receipt.ts";
import { listSnapshots, sessionLife, snapshotsFolder } from "../snapshots/saved-session.ts";
import { conversationEntry, isOpenConversation, newestConversations } from "./conversations.ts";
import type { Moment } from "./launch-state.ts";
import { readLaunches } from "./launches.ts";
import { openRunFinder, runEntry } from "./runs.ts";
import { openSealEntries, openSeals } from "./sealed.ts";

/** What goes on, those that need a person first; and what could not be read. */
export interface Board {
  readonly entries: readonly BoardEntry[];
  readonly problems: readonly string[];
}

export interface BoardReader {
  readonly home: string;
  readonly read: () => Board;
}

/** How much of what has ended is on the board. */
const MAX_ENDED = 50;

export const thisMoment = (): Moment => ({ at: Date.now(), up: Number(process.hrtime.bigint()) / 1e6 });

/** Reads what is on disk, each time anew. Only what cannot have changed is remembered. */
export function openBoard(home: string, clock: () => Moment = thisMoment): BoardReader {
  const findRuns = openRunFinder(home);
  const sealEntry = openSealEntries(home);
  const seals = openSeals(home, MAX_ENDED);
  return {
    home,
    read() {
      const now = clock();
      const problems: string[] = [];
      const part = <Item>(what: string, read: () => readonly Item[]): readonly Item[] => {
        try {
          return read();
        } catch (error) {
          problems.push(`${what} cannot be read: ${errorCode(error) ?? messageOf(error)}`);
          return [];
        }
      };
      const statements = part("receipts", seals);
      const sealed = statements.map(({ predicate }) => predicate);
      const launches = part("launches", () => readLaunches(home, now));
      const found = part("runs", findRuns);
      const active = found.filter(({ ended }) => ended === undefined);
      const over = found.toSorted((one, other) => (other.ended ?? 0) - (one.ended ?? 0)).slice(0, MAX_ENDED);
      const sealOf = new Map(sealed.map((seal) => [seal.run_id, seal]));
      const runs = [...new Set([...active, ...over])].flatMap(
        ({ id }) => runEntry(home, id, sealOf.get(id), now) ?? [],
      );
      const talks = part("sessions", () => conversations(home, sealed, now));
      const listed = new Set([...runs, ...launches].map(({ id }) => id));
      const ended = statements.filter(({ predicate }) => !listed.has(predicate.run_id)).map(sealEntry);
      const lost = part("snapshots", () => lostSessions(home, new Set([...listed, ...ended.map(({ id }) => id)])));
      const restorable = new Set(namesIn(snapshotsFolder(home)));
      const entries = [...launches, ...runs, ...talks, ...ended, ...lost].map((entry) => ({
        ...entry,
        since: sinceOf(entry, now),
        restorable: entry.restorable || restorable.has(entry.id),
      }));
      return { entries: sorted(entries), problems };
    },
  };
}

/** A whole number that is not of the future, also where a file has no time or the clock was set. */
const sinceOf = ({ since }: BoardEntry, { at }: Moment) =>
  Math.floor(Number.isFinite(since) ? Math.min(since, at) : at);

/** Those that are over are sorted by time alone. */
function sorted(entries: readonly BoardEntry[]): readonly BoardEntry[] {
  const live = entries.filter(isCurrent).toSorted((one, other) => rank(one) - rank(other) || other.since - one.since);
  const over = entries.filter((entry) => !isCurrent(entry)).toSorted((one, other) => other.since - one.since);
  return [...live, ...over.slice(0, MAX_ENDED)];
}

const rank = ({ state }: BoardEntry) => BOARD_STATES.indexOf(state);

/** It runs, or nobody can tell whether it does. */
const isCurrent = ({ isLive, state, receipt }: BoardEntry) => isLive || (state === "unknown" && receipt === null);

/** Those that somebody has open, and those that ended without a receipt. */
function conversations(home: string, sealed: readonly SealPredicate[], now: Moment): readonly BoardEntry[] {
  const works = new Set(sealed.map(({ work_order_id: id }) => id.replaceAll("-", "")));
  const oldest = sealed.length < MAX_ENDED ? -Infinity : Date.parse(sealed[0]?.sealed_at ?? "");
  return newestConversations(home, MAX_ENDED).flatMap(({ id, changed }) => {
    const isLive = isOpenConversation(home, id);
    // Of an older one the receipt may be among those that were not read.
    if (!isLive && (works.has(workOfSession(id)) || changed < oldest)) return [];
    return conversationEntry(home, id, isLive, now) ?? [];
  });
}

/** Sessions that left a snapshot and nothing else, because their signalbox was killed. */
function lostSessions(home: string, known: ReadonlySet<string>): readonly BoardEntry[] {
  return listSnapshots(home).flatMap((session) => {
    const { id, agent, workspace, started_at: started, ended_at: ended } = session.manifest;
    // A conversation of native has a log.
    if (ended !== null || known.has(id) || agent === "native" || sessionLife(session) !== "dead") return [];
    const said = { state: "interrupted", source: "process", why: "its signalbox was killed" } as const;
    const base = { id, kind: "launch" as const, agent, folder: workspace, task: "", isLive: false, receipt: null };
    return { ...base, ...said, since: Date.parse(started), calls: null, denied: null, restorable: true };
  });
}
