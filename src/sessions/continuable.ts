import type { SessionHeader } from "../contract/session-record.ts";
import { UserError } from "../lib/user-error.ts";
import { damageError } from "./damage-error.ts";
import type { SessionLog } from "./read-log.ts";

/** The header of a log that can be gone on with. One that was changed, or is newer, is refused with the line at fault. */
export function continuable(log: SessionLog, path: string): SessionHeader {
  const damaged = damageError("the session cannot be continued", log, path);
  if (damaged !== undefined && log.records.length > 0) throw damaged;
  if (log.header === undefined) {
    const { damage } = log;
    const because = damage === undefined ? "it holds no whole record" : `in line ${damage.line}, ${damage.because}`;
    throw new UserError(`this is no session that can be continued: ${because}`, {
      where: path,
      fix: "start a new one; what a newer signalbox wrote goes on with that one",
    });
  }
  return log.header;
}
