import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";

/** The end of the list of anchors, in a signed file of its own: a list that is shorter than its head was cut. */
export interface AnchorHead {
  /** The number of the newest anchor. */
  readonly count: number;
  /** The hash of its line; before the first anchor, of everything that was in the list. */
  readonly hash: string;
  /** The size of the list. */
  readonly bytes: number;
}

/** The text of the head's file. */
export function writeAnchorHead(head: AnchorHead, key: KeyObject): string {
  return `${canonicalJson({ ...head, signature: sign(null, signedBytes(head), key).toString("base64") })}\n`;
}

/** The head in `text`, or undefined when the key did not sign it. */
export function readAnchorHead(text: string, key: KeyObject): AnchorHead | undefined {
  try {
    const value: unknown = parseJson(text);
    if (!isRecord(value)) return undefined;
    const { count, hash, bytes, signature } = value;
    if (typeof count !== "number" || typeof hash !== "string" || typeof bytes !== "number") return undefined;
    const head = { count, hash, bytes };
    const publicKey = key.type === "private" ? createPublicKey(key) : key;
    const signed = Buffer.from(typeof signature === "string" ? signature : "", "base64");
    return verify(null, signedBytes(head), publicKey, signed) ? head : undefined;
  } catch {
    // The caller names the file.
    return undefined;
  }
}

// The prefix keeps this signature from being taken for one of another kind.
const signedBytes = (head: AnchorHead) => Buffer.from(`signalbox audit head ${canonicalJson(head)}`);
