import * as z from "zod";
import { JsonObject } from "../../contract/json.ts";
import type { Statement } from "../../contract/seal.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { exactJson, parseExactJson } from "../../lib/exact-json.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { openSeal } from "./dsse.ts";
import type { FoundReceipt } from "./find-receipt.ts";
import { readReceipt } from "./read-receipt.ts";
import { receiptHash } from "./receipt-hash.ts";
import { publicPem, type VerifyKey } from "./seal-key.ts";
import { sealedHash } from "./seal-receipt.ts";

const FORMAT = "signalbox-receipt/v1";

/** A receipt with its seal, to be checked elsewhere. The key in it is for convenience; it proves nothing by itself. */
const ExportedReceipt = z.strictObject({
  format: z.literal(FORMAT),
  receipt: JsonObject,
  seal: JsonObject,
  public_key: z.string(),
});

/** The receipt with its hash filled in, as the contract hands it on. */
export function finishedReceipt({ text, statement }: FoundReceipt): Readonly<Record<string, unknown>> {
  return { ...JsonObject.parse(parseExactJson(text)), receipt_sha256: sealedHash(statement) ?? null };
}

/** One text that holds everything needed to check a receipt on another machine, but for the trust in its key. */
export function exportReceipt(found: FoundReceipt, key: VerifyKey): string {
  const seal: unknown = parseJson(found.seal);
  return `${exactJson({ format: FORMAT, receipt: finishedReceipt(found), seal, public_key: publicPem(key) })}\n`;
}

export interface FileReport {
  readonly hash: string;
  /** Undefined for a receipt without a seal. */
  readonly statement: Statement | undefined;
  readonly findings: readonly string[];
}

/** Checks an exported receipt with a key that is trusted, or a receipt alone by its own hash. */
export function verifyFile(value: unknown, where: string, key: VerifyKey | undefined): FileReport {
  const exported = ExportedReceipt.safeParse(value);
  const receipt = readReceipt(exported.success ? exported.data.receipt : value, where);
  const hash = receiptHash(receipt);
  const findings: string[] = [];
  if (receipt.receipt_sha256 === null) findings.push("the receipt does not say its hash");
  else if (receipt.receipt_sha256 !== hash) findings.push(`the receipt was changed: its hash is ${hash}`);
  if (!exported.success) return { hash, statement: undefined, findings };
  if (key === undefined)
    return { hash, statement: undefined, findings: [...findings, "there is no key to check its seal with"] };

  const opened = openSeal(canonicalJson(exported.data.seal), key);
  if (!opened.good) return { hash, statement: undefined, findings: [...findings, `the seal: ${opened.because}`] };
  if (sealedHash(opened.statement) !== hash) findings.push("the seal is for another receipt");
  return { hash, statement: opened.statement, findings };
}
