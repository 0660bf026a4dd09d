import { readBounded } from "../../lib/read-bounded.ts";

const MOST_BYTES = 1024 * 1024;

/** The text of a policy file. A repository may hold a FIFO or gigabytes under that name: both are refused, not waited for. */
export function readPolicyText(path: string): string {
  try {
    return readBounded(path, MOST_BYTES).bytes.toString("utf8");
  } catch (cause) {
    throw new Error(`${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
