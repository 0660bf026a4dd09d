import type { RedactOptions } from "../../guard/redact/redact.ts";
import { Receipt } from "../../contract/receipt.ts";
import { canonicalText, sha256Hex } from "./receipt-hash.ts";
import { redactJson } from "./redact-json.ts";

/**
 * A receipt in its final form: checked, without secrets, with the hash that is made here. Whatever hash it came with is
 * replaced. Throws a ZodError when it is no receipt.
 */
export function closeReceipt(receipt: unknown, options: RedactOptions = {}): Receipt {
  const { trace, usage_raw, verification, artifacts, ...rest } = Receipt.parse(receipt);
  const clean = Receipt.parse({
    ...rest,
    trace: redactJson(trace, options),
    usage_raw: redactJson(usage_raw, options),
    verification: redactJson(verification, options),
    artifacts: redactJson(artifacts, options),
    receipt_sha256: null,
  });
  return { ...clean, receipt_sha256: sha256Hex(canonicalText(clean)) };
}
