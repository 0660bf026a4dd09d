import { errorCode } from "../../lib/error-code.ts";
import { messageOf } from "../../lib/message-of.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { UserError } from "../../lib/user-error.ts";

const MAX_BYTES = 1024 * 1024;

/** Reads a policy file. A repository may contain a FIFO or gigabytes under that name; both are rejected immediately. */
export function readPolicyText(path: string): string {
  try {
    return readBounded(path, MAX_BYTES).bytes.toString("utf8");
  } catch (cause) {
    const why = errorCode(cause) ?? messageOf(cause);
    throw new UserError(`the policy cannot be read: ${why}`, {
      where: path,
      fix: "make it a readable file of at most 1 MiB, or move it elsewhere",
      cause,
    });
  }
}
