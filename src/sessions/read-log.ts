import type { SessionHeader } from "../contract/session-record.ts";
import { errorCode } from "../lib/error-code.ts";
import { messageOf } from "../lib/message-of.ts";
import { readBounded } from "../lib/read-bounded.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { NO_SUM, readLine, type Stamped } from "./record-line.ts";
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
