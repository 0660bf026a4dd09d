import { readFileSync } from "node:fs";
import { errorCode } from "../../lib/error-code.ts";
import { newerFormat, withUpdate } from "../../lib/file-format.ts";
import { messageOf } from "../../lib/message-of.ts";
import { parseJson } from "../../lib/parse-json.ts";

/** The format of all files in a run's folder. Releases before it wrote none; those files are read as format 1. */
export const RUN_FORMAT = 1;

interface Schema<Value> {
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: Value } | { readonly success: false; readonly error: unknown };
}

/** A record of a run, `missing`, or why it cannot be used: a newer signalbox wrote it, or it was changed. */
export type StoredRecord<Value> =
  | { readonly state: "read"; readonly value: Value }
  | { readonly state: "missing" }
  | { readonly state: "unread"; readonly because: string; readonly newer: boolean; readonly raw: unknown };

/** Reads one JSON file of a run's folder. Never throws. */
export function readRecord<Value>(path: string, schema: Schema<Value>): StoredRecord<Value> {
  let raw: unknown;
  try {
    raw = parseJson(readFileSync(path, "utf8"));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return { state: "missing" };
    return { state: "unread", because: `cannot be read: ${messageOf(error)}`, newer: false, raw };
  }
  const newer = newerFormat(raw, RUN_FORMAT);
  if (newer !== undefined) return { state: "unread", because: withUpdate(newer), newer: true, raw };
  const parsed = schema.safeParse(raw);
  if (parsed.success) return { state: "read", value: parsed.data };
  return { state: "unread", because: "is not a record that this signalbox wrote", newer: false, raw };
}
