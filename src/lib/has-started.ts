import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { shortageError } from "./shortage-error.ts";

/**
 * Whether a child has been started; a machine that has run out of something is thrown as advice. Only then may its
 * streams be used: without a free descriptor Node makes none, whatever their types say.
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
