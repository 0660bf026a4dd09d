import { readBounded } from "../../lib/read-bounded.ts";
import { sha256 } from "../../lib/sha256.ts";

const MOST_HOOK_FILE = 16 * 1024 * 1024;

/** The hash of a hook's file, which may be a program in any encoding. For plain text it is the hash of the text. */
export function fileHash(path: string): string {
  return sha256(readBounded(path, MOST_HOOK_FILE).bytes.toString("latin1"));
}
