import { matchesSegment } from "../../lib/glob.ts";
import { nearest } from "../../lib/nearest.ts";
import { UserError } from "../../lib/user-error.ts";
import { TOOL_NAMES } from "../../tools/tool-names.ts";
import { textsFlag } from "../flags.ts";

/** A mistyped name would allow nothing, or deny nothing, without a word. */
export function refuseUnknownTools(flags: Readonly<Record<string, unknown>>): void {
  for (const flag of ["allowTool", "denyTool"]) {
    const unknown = textsFlag(flags, flag).find((pattern) => !TOOL_NAMES.some((name) => matchesSegment(pattern, name)));
    if (unknown === undefined) continue;
    const meant = nearest(unknown, TOOL_NAMES);
    throw new UserError(`there is no tool "${unknown}"`, {
      where: flag === "allowTool" ? "--allow-tool" : "--deny-tool",
      fix: meant === undefined ? `the tools are ${TOOL_NAMES.join(", ")}` : `did you mean ${meant}?`,
    });
  }
}
