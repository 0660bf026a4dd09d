import { withoutUpdate } from "../lib/file-format.ts";
import { basename } from "node:path";
import { UserError } from "../lib/user-error.ts";
import type { SessionLog } from "./read-log.ts";

/** Which line of a log was modified, and what can be done with the part before it; undefined for an intact log. */
export function damageError(what: string, { damage, records }: SessionLog, path: string): UserError | undefined {
  if (damage === undefined) return undefined;
  const copy = `continue a copy of the ${records.length} records before it: signalbox sessions fork ${basename(path, ".jsonl")}`;
  return new UserError(`${what}: in line ${damage.line}, ${withoutUpdate(damage.because)}`, {
    where: path,
    fix: damage.newer === true ? "update signalbox" : records.length > 0 ? copy : "restore the file from a backup",
  });
}
