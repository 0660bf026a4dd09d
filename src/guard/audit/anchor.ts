import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { closeSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { appendWhole } from "../../lib/append-whole.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { errorCode } from "../../lib/error-code.ts";
import { isRecord } from "../../lib/is-record.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { anchorKey, readAnchorKey } from "./anchor-key.ts";

/** The end of a segment, kept in another file and signed: a segment that is shorter than its anchor was cut. */
export interface Anchor {
  readonly segment: string;
  readonly hash: string;
  readonly count: number;
  readonly time: string;
}

const headFile = (folder: string) => join(folder, "heads", "audit.jsonl");

export function appendAnchor(folder: string, anchor: Anchor): void {
  const signature = sign(null, Buffer.from(canonicalJson(anchor)), anchorKey(folder)).toString("base64");
  makeFolder(dirname(headFile(folder)));
  const heads = openSync(headFile(folder), "a", 0o600);
  try {
    appendWhole(heads, Buffer.from(`${JSON.stringify({ ...anchor, signature })}\n`));
  } finally {
    closeSync(heads);
  }
}

/** What is known of the ends of segments. */
export interface Anchors {
  /** Those with a good signature. */
  readonly anchors: readonly Anchor[];
  /** The number of lines without one. */
  readonly bad: number;
  /** The file of the key is there and holds none: nothing can be checked or signed with it. */
  readonly brokenKey: boolean;
}

export function readAnchors(folder: string): Anchors {
  const key = readAnchorKey(folder);
  const brokenKey = key === "broken";
  const lines = readHeads(folder);
  const good = typeof key === "object" ? createPublicKey(key) : undefined;
  const anchors = good === undefined ? [] : lines.flatMap((line) => readAnchor(line, good) ?? []);
  return { anchors, bad: lines.length - anchors.length, brokenKey };
}

function readHeads(folder: string): readonly string[] {
  try {
    return readFileSync(headFile(folder), "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

function readAnchor(line: string, key: KeyObject): Anchor | undefined {
  try {
    const value: unknown = parseJson(line);
    if (!isRecord(value)) return undefined;
    const { segment, hash, count, time, signature } = value;
    if (
      typeof segment !== "string" ||
      typeof hash !== "string" ||
      typeof count !== "number" ||
      typeof time !== "string" ||
      typeof signature !== "string"
    )
      return undefined;
    const anchor = { segment, hash, count, time };
    return verify(null, Buffer.from(canonicalJson(anchor)), key, Buffer.from(signature, "base64")) ? anchor : undefined;
  } catch {
    // A line that cannot be read is counted as bad by the caller.
    return undefined;
  }
}
