import { sign, verify } from "node:crypto";
import * as z from "zod";
import { Sha256 } from "../../contract/identifier.ts";
import { Count } from "../../contract/number.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { parseJson } from "../../lib/parse-json.ts";
import type { SealKey, VerifyKey } from "./seal-key.ts";

/**
 * The end of the chain, kept outside the store and signed: a chain that is shorter than its head was cut.
 * `hash` is that of the last line, which begins at byte `last` and ends the chain at byte `bytes`.
 */
export const ChainHead = z.strictObject({ count: Count, hash: Sha256, last: Count, bytes: Count });
export type ChainHead = z.infer<typeof ChainHead>;

const SignedHead = z.strictObject({ ...ChainHead.shape, signature: z.string() });

/** The text of the head's file. */
export function writeHead(head: ChainHead, key: SealKey): string {
  const signature = sign(null, signedBytes(head), key.privateKey).toString("base64");
  return `${canonicalJson({ ...head, signature })}\n`;
}

/** The head in `text`, or undefined when a single bit of it is not as we wrote it. */
export function readHead(text: string, key: VerifyKey): ChainHead | undefined {
  try {
    const { signature, ...head } = SignedHead.parse(parseJson(text));
    const signed = Buffer.from(signature, "base64");
    const asWritten = `${canonicalJson({ ...head, signature: signed.toString("base64") })}\n` === text;
    return asWritten && verify(null, signedBytes(head), key.publicKey, signed) ? head : undefined;
  } catch {
    // Not JSON or not a head: the caller names the file.
    return undefined;
  }
}

// The words in front keep this signature from being taken for one of another kind.
const signedBytes = (head: ChainHead) => Buffer.from(`signalbox receipts head ${canonicalJson(head)}`);
