import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import { SESSION_VERSION, type SessionHeader, SessionRecord } from "../../contract/session-record.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { newerFormat, withoutUpdate, withUpdate } from "../../lib/json/file-format.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { errorCode, EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";

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

/** Where the images of a session are kept, beside its log, each once and named by its hash. */
export const imagesFolder = (log: string) => join(log.replace(/\.jsonl$/, ".files"), "images");

const MAX_IMAGE_BYTES = 128 * 1024 * 1024;
const HASH = /^[0-9a-f]{64}$/;

/** A record as it is written: every image is stored in the folder, and only its hash is left. */
export function withStoredImages<Record extends object>(record: Record, folder: string): object {
  return mapImages(record, ({ mediaType, base64 }) => {
    if (typeof base64 !== "string") return { mediaType, base64 };
    const hash = sha256(base64);
    const path = join(folder, hash);
    if (!existsSync(path)) {
      makeFolder(folder);
      atomicWrite(path, base64);
    }
    return { mediaType, sha256: hash };
  });
}

/** A record as it was before it was written. An image that is gone or was changed is replaced by a note. */
function withImages(record: object, folder: string): object {
  return mapImages(record, (image) => {
    if (image["sha256"] === undefined) return image;
    const base64 = readImage(folder, image["sha256"]);
    return base64 === undefined ? undefined : { mediaType: image["mediaType"], base64 };
  });
}

function readImage(folder: string, hash: unknown): string | undefined {
  if (typeof hash !== "string" || !HASH.test(hash)) return undefined;
  try {
    const text = readBounded(join(folder, hash), MAX_IMAGE_BYTES).bytes.toString("latin1");
    return sha256(text) === hash ? text : undefined;
  } catch {
    // It was removed, or never reached the disk.
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;
type MapImage = (image: Fields) => object | undefined;

/** Maps the images of every message and result in a record. They stand only where a record can have messages. */
function mapImages(record: object, map: MapImage): object {
  const fields: Fields = { ...record };
  return {
    ...fields,
    ...(isRecord(fields["message"]) ? { message: mapMessage(fields["message"], map) } : {}),
    ...(isRecord(fields["result"]) ? { result: mapMessage(fields["result"], map) } : {}),
    ...(Array.isArray(fields["pieces"]) ? { pieces: fields["pieces"].map((piece) => mapPiece(piece, map)) } : {}),
  };
}

const mapPiece = (piece: unknown, map: MapImage): unknown =>
  isRecord(piece) && isRecord(piece["add"]) ? { add: mapMessage(piece["add"], map) } : piece;

const LOST = "[image lost: its file is missing or was changed]";

function mapMessage(message: Fields, map: MapImage): Fields {
  const { images, results } = message;
  if (Array.isArray(results))
    return { ...message, results: results.map((result) => (isRecord(result) ? mapMessage(result, map) : result)) };
  if (!Array.isArray(images)) return message;
  const mapped = images.map((image) => (isRecord(image) ? map(image) : image));
  const present = mapped.filter((image) => image !== undefined);
  if (present.length === images.length) return { ...message, images: present };
  const { images: _, ...rest } = message;
  const text = `${String(message["text"])}\n${LOST}`;
  return present.length === 0 ? { ...rest, text } : { ...rest, text, images: present };
}
