import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { PROJECT } from "../../../test/support/run-signalbox.ts";
import { sampleReceipt } from "../../../test/support/sample-receipt.ts";
import { floatToken, parseExactJson } from "../../lib/json/exact-json.ts";
import { finalReceipt, receiptHash } from "./canonical-receipt.ts";

const { receipts, floats } = z
  .object({
    receipts: z.array(z.object({ receipt: z.string(), sha256: z.string() })),
    floats: z.array(z.tuple([z.string(), z.string()])),
  })
  .parse(JSON.parse(readFileSync(join(PROJECT, "test/fixtures/receipt-hashes.json"), "utf8")));

// The first six come from the original implementation; the others were made by a second implementation in another
// language.
test.each(receipts.map(({ receipt, sha256 }, index) => [index, receipt, sha256] as const))(
  "receipt %i has the hash that others give it",
  (_, receipt, sha256) => {
    expect(receiptHash(parseExactJson(receipt))).toBe(sha256);
  },
);

test.each(floats)("the float %s is printed %s", (token, printed) => {
  expect(floatToken(Number(token))).toBe(printed);
});

test("a receipt's own hash, extra keys and the way times are written do not change its hash", () => {
  const receipt = sampleReceipt();
  const other = {
    ...receipt,
    receipt_sha256: null,
    tool_calls: [1],
    meta: { ...receipt.meta, started_at: "2026-01-01T01:00:00.0+01:00", run_id: receipt.meta.run_id.toUpperCase() },
  };
  expect([receiptHash(receipt), receiptHash(other)]).toEqual([receipt.receipt_sha256, receipt.receipt_sha256]);
});

test("a whole cost is a float, a whole number elsewhere is none, and 1 is not 1.0", () => {
  const hashes = ["1", "1.0"].flatMap((number) => [
    receiptHash({ ...sampleReceipt({}, RUN), usage_raw: parseExactJson(number) }),
    receiptHash({ ...sampleReceipt({}, RUN), usage: { estimated_cost_usd: parseExactJson(number) } }),
  ]);
  expect(hashes[0]).not.toBe(hashes[2]);
  expect(hashes[1]).toBe(hashes[3]);
});

test.each([
  ["no trace", { trace: undefined }],
  ["an unknown event", { trace: [{ ts: "2026-01-01T00:00:00Z", type: "usage" }] }],
  ["an unknown capability", { capabilities: { flying: "native" } }],
  ["a count with a fraction", { usage: { input_tokens: parseExactJson("5.0") } }],
  ["a count below nothing", { usage: { input_tokens: -1 } }],
  ["another outcome", { outcome: "done" }],
])("what has %s is no receipt", (_, changes) => {
  expect(() => receiptHash({ ...sampleReceipt(), ...changes })).toThrow(z.ZodError);
});

test("a closed receipt has lost its secrets, and the hash of a host is replaced", () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const closed = finalReceipt(
    {
      ...sampleReceipt(),
      receipt_sha256: "0".repeat(64),
      usage_raw: { cost: parseExactJson("1.0"), password: "open sesame" },
      trace: [
        {
          ts: "2026-01-01T00:00:00Z",
          type: "tool_result",
          tool_name: "Bash",
          output: { text: [`found ${token}`, "known-by-value"] },
          is_error: false,
        },
      ],
      verification: { git_diff: `+TOKEN=${token}`, harness_ok: true },
    },
    { values: ["known-by-value"] },
  );
  expect(closed.usage_raw).toEqual({ cost: parseExactJson("1.0"), password: "[redacted secret]" });
  expect(JSON.stringify(closed)).not.toContain(token);
  expect(JSON.stringify(closed)).not.toContain("known-by-value");
  expect(closed.receipt_sha256).toBe(receiptHash(closed));
});

const RUN = "01010101-0202-4303-8404-050505050505";
