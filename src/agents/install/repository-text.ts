import { readBounded } from "../../lib/read-bounded.ts";

const MAX_BYTES = 4 * 1024 * 1024;

/** The text of a file of a repository; undefined when it cannot be read or is too large. */
export function textOf(path: string): string | undefined {
  try {
    return readBounded(path, MAX_BYTES).bytes.toString("utf8");
  } catch {
    return undefined;
  }
}
