import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isRecord } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";

/** The end of a file of JSON lines, read without the rest of it. */
export interface Tail {
  /** The complete lines, oldest first. */
  readonly lines: readonly string[];
  /** The file has more before them. */
  readonly isCut: boolean;
  /** When it was last written, in milliseconds since 1970. */
  readonly modified: number;
}

const LF = 0x0a;

/** A line longer than the last step is not read. */
const STEPS = [64 * 1024, 4 * 1024 * 1024];

/** Undefined where there is no such file any more. Throws for one that cannot be read, and for a pipe or device. */
export function readTail(path: string): Tail | undefined {
  const file = openIfThere(path);
  if (file === undefined) return undefined;
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error("not a regular file");
    const { size, mtimeMs } = stat;
    for (const most of STEPS) {
      const lines = linesAtEnd(file, size, most);
      if (lines.length > 0 || size <= most) return { lines, isCut: size > most, modified: mtimeMs };
    }
    return { lines: [], isCut: true, modified: mtimeMs };
  } finally {
    closeSync(file);
  }
}

const HEAD = 32 * 1024;

/** The first lines of such a file, which never change; undefined where it cannot be read. */
export function readFirstLines(path: string): readonly string[] | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(HEAD);
      const text = bytes.toString("utf8", 0, readSync(file, bytes, 0, HEAD, 0));
      return text.split("\n").slice(0, -1);
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** What is after the last line feed is still being written, or was torn. */
function linesAtEnd(file: number, size: number, most: number): readonly string[] {
  const start = Math.max(0, size - most);
  const bytes = Buffer.alloc(size - start);
  const read = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
  const first = start === 0 ? 0 : read.indexOf(LF) + 1;
  const end = read.lastIndexOf(LF);
  if ((start > 0 && first === 0) || end < first) return [];
  return read
    .subarray(first, end)
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}

/** A line as a JSON object; undefined for anything else. */
export function recordIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = parseJson(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
