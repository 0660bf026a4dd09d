import { statSync } from "node:fs";
import { flawPlace, verifyAudit } from "../guard/audit/verify-audit.ts";
import { errorCode } from "../lib/error-code.ts";
import type { CheckResult } from "./check.ts";
import { messageOf } from "../lib/message-of.ts";

/** Whether the audit log is intact. */
export function checkAudit(folder: string): CheckResult {
  try {
    const { bad, records, segments, unanchored } = verifyAudit(folder);
    const summary = `${records} records in ${segments} segments, ${unanchored} without an anchor`;
    if (bad === undefined) return { id: "audit", status: "ok", summary };
    const fix = "see: signalbox audit verify";
    return { id: "audit", status: "fail", summary: `${flawPlace(bad)}: ${bad.because}`, fix };
  } catch (error) {
    const summary = `cannot read the log: ${messageOf(error)}`;
    // If the home is not a folder, there is no log. `places.home` says so.
    if (errorCode(error) === "ENOTDIR" && !isFolder(folder)) return { id: "audit", status: "absent", summary };
    return { id: "audit", status: "fail", summary, fix: "check the file and its permissions" };
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // A parent is not a folder.
    return false;
  }
}
