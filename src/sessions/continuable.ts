import type { SessionHeader } from "../contract/session-record.ts";
import { UserError } from "../lib/user-error.ts";
import type { SessionLog } from "./read-log.ts";

/** The header of a log that can be gone on with. One that was changed, or is newer, is refused with the line at fault. */
export function continuable({ header, damage, records }: SessionLog, path: string): SessionHeader {
  if (damage !== undefined && records.length > 0) {
    throw new UserError(`the session cannot be continued: in line ${damage.line}, ${damage.because}`, {
      where: path,
      fix: `continue a copy of the ${records.length} records before it: signalbox sessions fork ${header?.id ?? ""}`,
    });
  }
  if (header === undefined) {
    const because = damage === undefined ? "it holds no whole record" : `in line ${damage.line}, ${damage.because}`;
    throw new UserError(`this is no session that can be continued: ${because}`, {
      where: path,
      fix: "start a new one; what a newer signalbox wrote goes on with that one",
    });
  }
  return header;
}
