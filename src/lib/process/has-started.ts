import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { shortageError } from "../text/user-error.ts";

/**
 * Whether a child was started; a resource shortage is thrown as a user error. Use the child's streams only after this:
 * without a free descriptor Node creates none, whatever their types say.
 */
export async function hasStarted(child: ChildProcess): Promise<boolean> {
  try {
    await once(child, "spawn");
    return true;
  } catch (error) {
    const shortage = shortageError(error);
    if (shortage !== undefined) throw shortage;
    return false;
  }
}
