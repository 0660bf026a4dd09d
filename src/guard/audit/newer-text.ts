import { newerFormat, withUpdate } from "../../lib/file-format.ts";
import { parseJson } from "../../lib/parse-json.ts";

/** Says that a newer signalbox wrote this line of the log, its anchors or their head; undefined otherwise. */
export function newerText(line: string): string | undefined {
  try {
    const newer = newerFormat(parseJson(line));
    return newer === undefined ? undefined : withUpdate(newer);
  } catch {
    // Not JSON, so nobody wrote it.
    return undefined;
  }
}
