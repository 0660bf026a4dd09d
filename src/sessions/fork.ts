import { UserError } from "../lib/user-error.ts";
import { logPath, newSessionId } from "./folder.ts";
import { readLog } from "./read-log.ts";
import { createSession, type Session } from "./session.ts";

interface Fork {
  readonly folder: string;
  readonly now: () => number;
  /** The working folder of the copy. */
  readonly cwd: string;
  /** How many records to copy; undefined copies all intact ones. */
  readonly records?: number | undefined;
}

/** A new session that begins with a copy of another's records. Also the way to recover from a damaged log. */
export function forkSession(id: string, { folder, now, cwd, records }: Fork): Session {
  const path = logPath(folder, id);
  const log = readLog(path);
  if (log.header === undefined) {
    throw new UserError("this session has nothing to copy", { where: path, fix: "start a new one" });
  }
  const wanted = records ?? log.records.length;
  if (wanted < 1 || wanted > log.records.length) {
    throw new UserError(`the session has ${log.records.length} intact records, not ${wanted}`, {
      where: "--records",
      fix: `use a number from 1 to ${log.records.length}`,
    });
  }
  const parent = { id, records: wanted };
  const { type: _, version: __, ...first } = log.header;
  const header = { ...first, id: newSessionId(now()), cwd, parent };
  return createSession(header, { folder, now }, log.records.slice(1, wanted));
}
