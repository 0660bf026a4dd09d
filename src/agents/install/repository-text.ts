import { MAX_SETTINGS, readBounded } from "../../lib/read-bounded.ts";

/** The text of a file of a repository; undefined when it cannot be read or is too large. */
export function textOf(path: string): string | undefined {
  try {
    return readBounded(path, MAX_SETTINGS).bytes.toString("utf8");
  } catch {
    return undefined;
  }
}
