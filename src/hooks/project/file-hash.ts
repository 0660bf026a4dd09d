import { readBounded } from "../../lib/read-bounded.ts";
import { sha256 } from "../../lib/sha256.ts";

const MAX_HOOK_FILE = 16 * 1024 * 1024;

/** The hash of a hook's file, which may be binary. For plain text it equals the hash of the text. */
export const fileHash = (path: string) => hashOfBytes(hookBytes(path));

export const hookBytes = (path: string) => readBounded(path, MAX_HOOK_FILE).bytes;

export const hashOfBytes = (bytes: Buffer) => sha256(bytes.toString("latin1"));
