import { type KeyObject, sign, verify } from "node:crypto";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";

/** The end of a segment, signed and stored in another file. A segment shorter than its anchor was truncated. */
export interface Anchor {
  readonly segment: string;
  readonly hash: string;
  readonly count: number;
  readonly time: string;
}

/** The position of an anchor among all anchors of this home. */
export interface AnchorPlace {
  /** The number of this anchor, from 1. */
  readonly sequence: number;
  /**
   * The hash of the previous line. For the first anchor, the hash of everything before it. Null if the signed head was
   * lost.
   */
  readonly previous: string | null;
}

/** A line with a valid signature. Older versions of signalbox wrote anchors without a place. */
export interface SignedAnchor {
  readonly anchor: Anchor;
  readonly place: AnchorPlace | undefined;
}

/** The text of an anchor's line, without the newline. */
export function writeAnchorLine(anchor: Anchor, place: AnchorPlace, key: KeyObject): string {
  const body = { version: 1, ...anchor, ...place };
  const signature = sign(null, Buffer.from(canonicalJson(body)), key).toString("base64");
  return JSON.stringify({ ...body, signature });
}

/** Parses an anchor line, or returns undefined if the key did not sign it. */
export function readAnchorLine(line: string, publicKey: KeyObject): SignedAnchor | undefined {
  try {
    const value: unknown = parseJson(line);
    if (!isRecord(value)) return undefined;
    const { signature, ...body } = value;
    const signed = Buffer.from(typeof signature === "string" ? signature : "", "base64");
    if (!verify(null, Buffer.from(canonicalJson(body)), publicKey, signed)) return undefined;
    const { segment, hash, count, time, sequence, previous } = body;
    if (typeof segment !== "string" || typeof hash !== "string") return undefined;
    if (typeof count !== "number" || typeof time !== "string") return undefined;
    const anchor = { segment, hash, count, time };
    if (sequence === undefined) return { anchor, place: undefined };
    if (typeof sequence !== "number" || (typeof previous !== "string" && previous !== null)) return undefined;
    return { anchor, place: { sequence, previous } };
  } catch {
    // The caller reports the line.
    return undefined;
  }
}
