import { closeSync, constants, openSync, readSync } from "node:fs";
import { isRecord } from "../lib/is-record.ts";
import { parseJson } from "../lib/parse-json.ts";

const MAX_HEADER = 256 * 1024;

/** The folder a session works in, from the first line of its log. Undefined if that cannot be read. */
export function sessionCwd(path: string): string | undefined {
  try {
    const header: unknown = parseJson(firstLine(path));
    return isRecord(header) && typeof header["cwd"] === "string" ? header["cwd"] : undefined;
  } catch {
    // Damaged or unreadable: whoever opens the session says so.
    return undefined;
  }
}

function firstLine(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const head = Buffer.alloc(MAX_HEADER);
    const size = readSync(file, head, 0, MAX_HEADER, 0);
    const text = head.toString("utf8", 0, size);
    return text.slice(0, Math.max(0, text.indexOf("\n")));
  } finally {
    closeSync(file);
  }
}
