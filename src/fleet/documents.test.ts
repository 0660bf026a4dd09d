import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { signedLine } from "../lib/files/signed-chain.ts";
import { publicPem, sealKey } from "../receipts/seal/seal.ts";
import { type FleetReceipt, readReceipt, signDocument, trustedFolder, trustedKeys } from "./documents.ts";

const ORDER = "00000000-0000-4000-8000-000000000001";

const body: Omit<FleetReceipt, "signer" | "version"> = {
  order: ORDER,
  attempt: 1,
  worker: "w#1",
  outcome: "lost",
  exit_code: null,
  because: "gone",
  run: null,
  receipt: null,
  patch: null,
  artifacts: [],
  at: "2026-01-01T00:00:00Z",
};

function trust(home: string, other: string): void {
  mkdirSync(trustedFolder(home), { recursive: true });
  writeFileSync(join(trustedFolder(home), "other.pem"), publicPem(sealKey(other)));
}

test("a document is believed when a key signed it that the reader trusts", () => {
  const [home, other] = [tempFolder(), tempFolder()];
  const line = signDocument("receipt", body, sealKey(other));
  expect(readReceipt(line, trustedKeys(home))).toEqual({
    good: false,
    because: "it is signed with a key that is not trusted here",
  });
  trust(home, other);
  expect(readReceipt(line, trustedKeys(home))).toMatchObject({ good: true, body: { order: ORDER, outcome: "lost" } });
});

const RECEIPT = "signalbox fleet receipt ";

test.each([
  ["unsigned", () => JSON.stringify(body), "it is not signed"],
  ["no JSON", () => "{", "it is not a document of a fleet"],
  ["signed for another purpose", (home: string) => signed(home, "signalbox fleet order ", {}), "signature"],
  ["changed", (home: string) => signed(home, RECEIPT, {}).replace('"attempt":1', '"attempt":2'), "signature"],
  ["of a newer version", (home: string) => signed(home, RECEIPT, { version: 2 }), "newer signalbox"],
  ["malformed", (home: string) => signed(home, RECEIPT, { attempt: 0 }), "it is malformed: attempt"],
  ["with an unknown field", (home: string) => signed(home, RECEIPT, { extra: 1 }), "it is malformed"],
  ["huge", (home: string) => signed(home, RECEIPT, { because: "x".repeat(1024 * 1024) }), "larger than"],
])("a document that is %s is refused", (_, line, because) => {
  const home = tempFolder();
  expect(readReceipt(line(home), trustedKeys(home))).toEqual({
    good: false,
    because: expect.stringContaining(because),
  });
});

function signed(home: string, purpose: string, changes: object): string {
  const key = sealKey(home);
  return signedLine(purpose, { ...body, version: 1, signer: key.id, ...changes }, key.privateKey);
}
