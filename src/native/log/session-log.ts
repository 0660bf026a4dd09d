import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  rmSync,
  writeSync,
} from "node:fs";
import {
  isPreparation,
  SESSION_VERSION,
  type SessionHeader,
  type SessionRecord,
} from "../../contract/session-record.ts";
import { syncFolder } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { lockHolder, takeLock } from "../../lib/files/lock.ts";
import { errorCode, EXIT, UserError } from "../../lib/text/user-error.ts";
import {
  agentsPath,
  filesPath,
  findSession,
  lockPath,
  logPath,
  newSessionId,
  sessionsFolder,
  sessionsPlace,
} from "./log-folder.ts";
import { continuable, imagesFolder, NO_SUM, readLog, type Stamped, withStoredImages, writeLine } from "./read-log.ts";

/** A session that this process may write to. */
export interface Session extends Disposable {
  readonly id: string;
  /** The records it contained when it was opened. */
  readonly before: readonly SessionRecord[];
  /**
   * Writes one record. It has reached the operating system when this returns, so killing the process does not lose it.
   */
  append(record: SessionRecord): void;
}

interface Place {
  readonly folder: string;
  readonly now: () => number;
}

type NewHeader = Omit<SessionHeader, "type" | "version">;

/** Creates a session, starting with `records` copied from another one. */
export function createSession(header: NewHeader, { folder, now }: Place, records: readonly Stamped[] = []): Session {
  const lock = lockNewSession(folder, header.id);
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const path = logPath(folder, header.id);
  const file = openOrRelease(path, flags, lock);
  const before = records.map(({ record }) => record);
  const session = writer(header.id, {
    file,
    images: imagesFolder(path),
    lock,
    now,
    sum: NO_SUM,
    before,
    removeUnused: () => remove(folder, header.id),
  });
  try {
    session.append({ type: "session", version: SESSION_VERSION, ...header });
    for (const { record, at } of records) session.append(record, at);
    // Syncing a line is useless if the file's name can be lost in a power failure.
    syncFolder(folder);
  } catch (error) {
    session[Symbol.dispose]();
    remove(folder, header.id);
    throw error;
  }
  return session;
}

const remove = (folder: string, id: string) => {
  for (const path of [logPath(folder, id), lockPath(folder, id), filesPath(folder, id), agentsPath(folder, id)])
    rmSync(path, { recursive: true, force: true });
};

/**
 * Opens a session to continue it. An incomplete last line is cut off; a modified or newer log is rejected unchanged.
 */
export function openSession(id: string, { folder, now }: Place): LoggedSession {
  const lock = lockSession(folder, id);
  const path = logPath(folder, id);
  try {
    const log = readLog(path);
    const header = continuable(log, path);
    const file = openLog(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
    if (log.torn) ftruncateSync(file, log.bytes);
    const before = log.records.map(({ record }) => record);
    return { ...writer(id, { file, images: imagesFolder(path), lock, now, sum: log.sum, before }), header };
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

/** A session, with how it began. */
export interface LoggedSession extends Session {
  readonly header: SessionHeader;
}

/** Continues the session that the user means, from the folder `cwd`. */
export function resumeSession(home: string, wanted: string, cwd: string): LoggedSession {
  const folder = sessionsFolder(home);
  return openSession(findSession(folder, wanted, cwd), { folder, now: Date.now });
}

/** Begins a session of the user's. */
export function newSession(home: string, beginning: Omit<NewHeader, "id">): LoggedSession {
  const header: SessionHeader = {
    type: "session",
    version: SESSION_VERSION,
    id: newSessionId(Date.now()),
    ...beginning,
  };
  const { type: _, version: __, ...given } = header;
  return { ...createSession(given, { folder: sessionsFolder(home), now: Date.now }), header };
}

/** Begins the log of a sub-agent, beside that of its session. */
export function newAgentLog(home: string, session: string, header: NewHeader): Session {
  const folder = agentsPath(sessionsPlace(home), session);
  makeFolder(folder);
  return createSession(header, { folder, now: Date.now });
}

function openOrRelease(path: string, flags: number, lock: Disposable): number {
  try {
    return openLog(path, flags);
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

function openLog(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (cause) {
    throw unwritable(cause, path);
  }
}

interface Writing {
  readonly file: number;
  /** The folder for its images. */
  readonly images: string;
  readonly lock: Disposable;
  readonly now: () => number;
  readonly sum: string;
  readonly before: readonly SessionRecord[];
  /** Removes a new session in which nothing was ever asked. */
  readonly removeUnused?: () => void;
}

function writer(id: string, { file, images, lock, now, sum: first, before, removeUnused }: Writing) {
  let sum = first;
  let closed = false;
  let isUsed = before.length > 0;
  return {
    id,
    before,
    append(record: SessionRecord, at = now()) {
      // The descriptor number may belong to another file by now.
      if (closed) throw new Error("the session is closed");
      isUsed ||= !isPreparation(record);
      const written = writeLine({ record: withStoredImages(record, images), at }, sum);
      writeWhole(file, Buffer.from(written.line));
      ({ sum } = written);
      // A power failure may lose the end of a log, but not a prompt or the record that the session ended.
      if (record.type === "queued" || record.type === "rest") fdatasyncSync(file);
    },
    [Symbol.dispose]() {
      if (closed) return;
      closed = true;
      closeSync(file);
      if (!isUsed) removeUnused?.();
      lock[Symbol.dispose]();
    },
  };
}

/** Writes a whole line or nothing: a partial line, on a full disk, is removed, so that the log can be continued. */
function writeWhole(file: number, bytes: Buffer): void {
  const before = fstatSync(file).size;
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
  } catch (cause) {
    ftruncateSync(file, before);
    throw unwritable(cause);
  }
}

function unwritable(cause: unknown, path?: string): UserError {
  const fix = path === undefined ? "free some disk space, then resume the session" : "make it a writable file";
  return new UserError(`cannot write the session log (${errorCode(cause) ?? String(cause)})`, {
    ...(path === undefined ? {} : { where: path }),
    fix,
    exitCode: EXIT.failed,
    cause,
  });
}

/** Locks a session until it is disposed or the process dies. */
function lockSession(folder: string, id: string): Disposable {
  const path = lockPath(folder, id);
  const lock = takeLock(path);
  if (lock !== undefined) return lock;
  throw new UserError(`this session is open in ${lockHolder(path)}`, {
    where: id,
    fix: "close it there first, or continue a copy: signalbox sessions fork",
    exitCode: EXIT.refused,
  });
}

/** The same for a new session: on a disk that takes nothing, no lock file is left behind. */
function lockNewSession(folder: string, id: string): Disposable {
  try {
    return lockSession(folder, id);
  } catch (error) {
    if (!existsSync(logPath(folder, id))) rmSync(lockPath(folder, id), { force: true });
    throw error;
  }
}

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
