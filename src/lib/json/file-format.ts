import { isRecord } from "./json-value.ts";
import { UserError } from "../text/user-error.ts";

/**
 * Says that a stored value is from a newer signalbox, or undefined. A value without a version is from a release that
 * wrote none, and counts as format 1.
 */
export function newerFormat(value: unknown, known = 1): string | undefined {
  const version = isRecord(value) ? value["version"] : undefined;
  return typeof version === "number" && version > known
    ? `written by a newer signalbox (format ${version})`
    : undefined;
}

/** Throws for a value of a newer signalbox, so that it is neither called damaged nor overwritten. */
export function refuseNewer(value: unknown, where: string, known = 1): void {
  const newer = newerFormat(value, known);
  if (newer !== undefined) throw new UserError(newer, { where, fix: "update signalbox" });
}

const UPDATE = "; update signalbox";

/** A clause with the advice in it, for where there is no line for a fix. */
export const withUpdate = (clause: string) => `${clause}${UPDATE}`;

/** Whether a clause advises to update, since a newer signalbox wrote something. */
export const needsUpdate = (clause: string) => clause.endsWith(UPDATE);

/** The clause alone, for an error whose fix has the advice. */
export const withoutUpdate = (clause: string) => (needsUpdate(clause) ? clause.slice(0, -UPDATE.length) : clause);
