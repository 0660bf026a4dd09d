import { createHash } from "node:crypto";
import * as z from "zod";
import { newerFormat, withUpdate } from "../lib/file-format.ts";
import { isRecord } from "../lib/is-record.ts";
import { parseJson } from "../lib/parse-json.ts";
import { SESSION_VERSION, SessionRecord } from "../contract/session-record.ts";

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
export function readLine(line: string, previous: string, restored = (fields: object) => fields): Read {
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
