import { withoutUpdate } from "../lib/file-format.ts";
import type { SessionHeader } from "../contract/session-record.ts";
import { UserError } from "../lib/user-error.ts";
import { damageError } from "./damage-error.ts";
import type { SessionLog } from "./read-log.ts";

/** The header of a log that can be continued. A modified or newer log is rejected, naming the line. */
export function continuable(log: SessionLog, path: string): SessionHeader {
  const damaged = damageError("the session cannot be continued", log, path);
  if (damaged !== undefined && log.records.length > 0) throw damaged;
  if (log.header === undefined) {
    const { damage } = log;
    const because =
      damage === undefined ? "it has no complete record" : `in line ${damage.line}, ${withoutUpdate(damage.because)}`;
    throw new UserError(`this session cannot be continued: ${because}`, {
      where: path,
      fix: damage?.newer === true ? "update signalbox" : "start a new one",
    });
  }
  return log.header;
}
