import { createHash } from "node:crypto";
import { basename } from "node:path";
import * as z from "zod";
import { SESSION_VERSION, type SessionHeader, SessionRecord } from "../../contract/session-record.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { newerFormat, withoutUpdate, withUpdate } from "../../lib/json/file-format.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { errorCode, EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";
import { imagesFolder, withImages } from "./stored-images.ts";

const MAX_BYTES = 512 * 1024 * 1024;

const LF = 0x0a;

/** The contents of a log, up to the first line that is not intact. */
export interface SessionLog {
  readonly header: SessionHeader | undefined;
  readonly records: readonly Stamped[];
  /** The checksum after the last intact record. */
  readonly sum: string;
  /** Total bytes of the intact records. */
  readonly bytes: number;
  /** True when the last line is incomplete, because the writer was killed while writing it. */
  readonly torn: boolean;
  /** Why reading stopped before the end. */
  readonly damage?: {
    readonly line: number;
    readonly because: string;
    /** The line is intact, but a newer signalbox wrote it. */
    readonly newer?: true;
  };
}

/** Reads a whole log. Throws only when the file itself cannot be read. */
export function readLog(path: string): SessionLog {
  const bytes = readBytes(path);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const images = imagesFolder(path);
  const records: Stamped[] = [];
  let sum = NO_SUM;
  let start = 0;
  const soFar = () => ({ header: headerOf(records), records, sum, bytes: start });

  for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
    const damage = (because: string, more: { readonly newer?: true } = {}) => ({
      ...soFar(),
      torn: false,
      damage: { line: records.length + 1, because, ...more },
    });
    let text: string;
    try {
      text = decoder.decode(bytes.subarray(start, end));
    } catch {
      return damage("it is not UTF-8");
    }
    const read = readLine(text, sum, (fields) => withImages(fields, images));
    if (!read.ok) return damage(read.because, read.newer === true ? { newer: true } : {});
    if ((read.stamped.record.type === "session") !== (records.length === 0)) return damage("it is in the wrong place");
    records.push(read.stamped);
    sum = read.sum;
    start = end + 1;
  }
  return { ...soFar(), torn: start < bytes.length };
}

function readBytes(path: string): Buffer {
  try {
    return readBounded(path, MAX_BYTES).bytes;
  } catch (cause) {
    const because = errorCode(cause) ?? messageOf(cause);
    throw new UserError(`cannot read the session log (${because})`, {
      where: path,
      fix: "check that it is a readable file",
      exitCode: EXIT.failed,
      cause,
    });
  }
}

function headerOf([first]: readonly Stamped[]): SessionHeader | undefined {
  return first?.record.type === "session" ? first.record : undefined;
}

/** One line of a log: a record, its time, and a checksum over it and everything before it. */
export interface Stamped {
  readonly record: SessionRecord;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The checksum before the first record. */
export const NO_SUM = "0".repeat(32);

const SUM_PART = /,"sum":"([0-9a-f]{32})"\}$/;

/** A record's line, including the line feed, and its checksum. */
export function writeLine(
  { record, at }: { readonly record: object; readonly at: number },
  previous: string,
): { readonly line: string; readonly sum: string } {
  const body = JSON.stringify({ at, ...record });
  const sum = sumOf(body, previous);
  return { line: `${body.slice(0, -1)},"sum":"${sum}"}\n`, sum };
}

type Read =
  | { readonly ok: true; readonly stamped: Stamped; readonly sum: string }
  | { readonly ok: false; readonly because: string; readonly newer?: true };

/**
 * Parses a line without its line feed. The checksum is compared on the text, before anything is parsed. `restored` puts
 * back what is not stored in the line.
 */
function readLine(line: string, previous: string, restored = (fields: object) => fields): Read {
  const sum = SUM_PART.exec(line)?.[1];
  if (sum === undefined) return { ok: false, because: "it is not a session record" };
  const body = `${line.slice(0, line.length - SUM_LENGTH)}}`;
  if (sumOf(body, previous) !== sum)
    return { ok: false, because: "its checksum is wrong: it, or a line before it, was changed" };
  const value: unknown = parseJson(body);
  const { at, ...fields }: Record<string, unknown> = isRecord(value) ? value : {};
  const newer = fields["type"] === "session" ? newerFormat(fields, SESSION_VERSION) : undefined;
  if (newer !== undefined) return { ok: false, because: withUpdate(`it was ${newer}`), newer: true };
  const record = SessionRecord.safeParse(restored(fields));
  if (!record.success) {
    const why = z.prettifyError(record.error).split("\n")[0] ?? "";
    return { ok: false, because: withUpdate(`a newer signalbox wrote it: ${why}`), newer: true };
  }
  return { ok: true, stamped: { record: record.data, at: typeof at === "number" ? at : 0 }, sum };
}

/** Says that the first line of a log is from a newer signalbox, or undefined. */
export function newerHeader(line: string): string | undefined {
  try {
    return newerFormat(parseJson(line), SESSION_VERSION);
  } catch {
    // No header at all: the log was cut, or is empty.
    return undefined;
  }
}

const SUM_LENGTH = `,"sum":"${NO_SUM}"}`.length;

const sumOf = (body: string, previous: string) =>
  createHash("sha256").update(previous).update(body).digest("hex").slice(0, 32);

/** The header of a log that can be continued. A modified or newer log is rejected, naming the line. */
export function continuable(log: SessionLog, path: string): SessionHeader {
  const damaged = damageError("the session cannot be continued", log, path);
  if (damaged !== undefined && log.records.length > 0) throw damaged;
  if (log.header === undefined) {
    const { damage } = log;
    const because =
      damage === undefined ? "it has no complete record" : `in line ${damage.line}, ${withoutUpdate(damage.because)}`;
    throw new UserError(`this session cannot be continued: ${because}`, {
      where: path,
      fix: damage?.newer === true ? "update signalbox" : "start a new one",
    });
  }
  return log.header;
}

/** Which line of a log was modified, and what can be done with the part before it; undefined for an intact log. */
export function damageError(what: string, { damage, records }: SessionLog, path: string): UserError | undefined {
  if (damage === undefined) return undefined;
  const copy = `continue a copy of the ${records.length} records before it: signalbox sessions fork ${basename(path, ".jsonl")}`;
  return new UserError(`${what}: in line ${damage.line}, ${withoutUpdate(damage.because)}`, {
    where: path,
    fix: damage.newer === true ? "update signalbox" : records.length > 0 ? copy : "restore the file from a backup",
  });
}
