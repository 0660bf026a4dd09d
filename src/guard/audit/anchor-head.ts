import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";

/** The end of the anchor list, in a separate signed file. A list shorter than its head was truncated. */
export interface AnchorHead {
  /** The number of the newest anchor. */
  readonly count: number;
  /** The hash of its line. Before the first anchor, the hash of the list's whole content. */
  readonly hash: string;
  /** The size of the list. */
  readonly bytes: number;
  /** Missing in heads of early releases. */
  readonly version?: number;
}

/** The text of the head's file. */
export function writeAnchorHead({ count, hash, bytes }: AnchorHead, key: KeyObject): string {
  const head: AnchorHead = { version: 1, count, hash, bytes };
  return `${canonicalJson({ ...head, signature: sign(null, signedBytes(head), key).toString("base64") })}\n`;
}

/** Parses a head, or returns undefined if the key did not sign it. */
export function readAnchorHead(text: string, key: KeyObject): AnchorHead | undefined {
  try {
    const value: unknown = parseJson(text);
    if (!isRecord(value)) return undefined;
    const { version, count, hash, bytes, signature } = value;
    if (typeof count !== "number" || typeof hash !== "string" || typeof bytes !== "number") return undefined;
    // Early releases wrote no version.
    const head = version === 1 ? { version, count, hash, bytes } : { count, hash, bytes };
    const publicKey = key.type === "private" ? createPublicKey(key) : key;
    const signed = Buffer.from(typeof signature === "string" ? signature : "", "base64");
    return verify(null, signedBytes(head), publicKey, signed) ? head : undefined;
  } catch {
    // The caller reports the file.
    return undefined;
  }
}

// The prefix prevents signatures of other kinds from being accepted here.
const signedBytes = (head: AnchorHead) => Buffer.from(`signalbox audit head ${canonicalJson(head)}`);
