import { ExactReceipt, Receipt } from "../../contract/receipt.ts";
import { exactJson, floatToken } from "../../lib/json/exact-json.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { redactJson, type RedactOptions } from "../../guard/redact.ts";

/**
 * The text that a receipt's hash is computed from: its fields in the contract's form, with a null hash. Throws a
 * ZodError if `receipt` is not a receipt.
 */
export function canonicalReceipt(receipt: unknown): string {
  return canonicalText(ExactReceipt.parse(receipt));
}

/** Like `canonicalReceipt`, for a receipt that has already been parsed. */
function canonicalText({ usage, ...rest }: ExactReceipt): string {
  const cost = usage.estimated_cost_usd;
  return exactJson({
    ...rest,
    // The type is float, so a cost of 2 is written as 2.0.
    usage: { ...usage, estimated_cost_usd: cost === null ? null : JSON.rawJSON(floatToken(cost)) },
    receipt_sha256: null,
  });
}

export function receiptHash(receipt: unknown): string {
  return sha256(canonicalReceipt(receipt));
}

/**
 * Validates a receipt, redacts secrets, and computes its hash, replacing any hash it came with. Throws a ZodError if
 * `receipt` is not a receipt.
 */
export function finalReceipt(receipt: unknown, options: RedactOptions = {}): Receipt {
  const { trace, usage_raw, verification, artifacts, ...rest } = Receipt.parse(receipt);
  const clean = Receipt.parse({
    ...rest,
    trace: redactJson(trace, options),
    usage_raw: redactJson(usage_raw, options),
    verification: redactJson(verification, options),
    artifacts: redactJson(artifacts, options),
    receipt_sha256: null,
  });
  return { ...clean, receipt_sha256: sha256(canonicalText(clean)) };
}
