import { generateKeyPairSync } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { seededRandom } from "../../../test/support/seeded-random.ts";
import { sampleFacts, sampleReceipt } from "../../../test/support/sample-receipt.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { Seal } from "../../contract/seal.ts";
import { canonicalJson } from "../../lib/json/json-value.ts";
import { receiptHash } from "./canonical-receipt.ts";
import { openSeal, publicPem, readSealKey, readVerifyKey, sealedHash, sealKey, sealReceipt } from "./seal.ts";

const receipt = sampleReceipt();
const sealed = { receipt, hash: receiptHash(receipt) };
const place = { sequence: 1, previous: null, sealedAt: "2026-01-01T00:00:02.000Z" };

test("a seal says which receipt, tree and artifacts it vouches for, and opens with its key", () => {
  const key = sealKey(tempFolder());
  const facts = sampleFacts({
    tree: "c".repeat(40),
    artifacts_folder: "/work",
    artifacts: [{ path: "out.txt", sha256: "d".repeat(64), size: 3 }],
  });

  const opened = openSeal(sealReceipt({ ...sealed, facts, place }, key), key);

  expect(opened).toEqual({
    good: true,
    statement: {
      _type: "https://in-toto.io/Statement/v1",
      subject: [
        { name: `receipt/${receipt.meta.run_id}`, digest: { sha256: receipt.receipt_sha256 } },
        { name: "tree", digest: { gitTree: "c".repeat(40) } },
        { name: "artifact/out.txt", digest: { sha256: "d".repeat(64) } },
      ],
      predicateType: "urn:signalbox:seal:v1",
      predicate: {
        ...facts,
        run_id: receipt.meta.run_id,
        work_order_id: receipt.meta.work_order_id,
        backend: "mock",
        outcome: "complete",
        started_at: "2026-01-01T00:00:00Z",
        finished_at: "2026-01-01T00:00:01.500Z",
        sequence: 1,
        previous: null,
        sealed_at: "2026-01-01T00:00:02Z",
      },
    },
  });
  if (opened.good) expect(sealedHash(opened.statement)).toBe(receipt.receipt_sha256);
});

test("no flipped bit of a seal goes unseen, the spare bits of its base64 included", () => {
  const key = sealKey(tempFolder());
  const line = Buffer.from(sealReceipt({ ...sealed, facts: sampleFacts(), place }, key));
  const random = seededRandom(5);
  const good = Array.from({ length: 2000 }, () => {
    const changed = Buffer.from(line);
    const at = Math.floor(random() * line.length);
    changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    return openSeal(changed.toString("utf8"), key).good;
  });
  expect(good.filter(Boolean)).toEqual([]);
});

test.each([
  ["blanks", (seal: Seal) => JSON.stringify(seal, undefined, 1), "its format was changed"],
  ["another key's name", (seal: Seal) => rewritten(seal, { keyid: "0".repeat(64) }), "it names another key"],
  [
    "another signature",
    (seal: Seal) => rewritten(seal, { sig: Buffer.alloc(64).toString("base64") }),
    "its signature does not match",
  ],
  ["a second field", (seal: Seal) => canonicalJson({ ...seal, more: 1 }), "it is not a seal"],
])("a seal with %s is refused", (_, change, because) => {
  const key = sealKey(tempFolder());
  const seal = Seal.parse(JSON.parse(sealReceipt({ ...sealed, facts: sampleFacts(), place }, key)));
  expect(openSeal(change(seal), key)).toEqual({ good: false, because });
});

function rewritten(seal: Seal, changes: object): string {
  return canonicalJson({ ...seal, signatures: [{ ...seal.signatures[0], ...changes }] });
}

test("the key is made once, private, with its public half beside it", () => {
  const home = tempFolder();
  expect(readSealKey(home)).toBeUndefined();
  const key = sealKey(home);
  expect(sealKey(home).id).toBe(key.id);
  expect(readVerifyKey(join(home, "keys/seal.pub.pem")).id).toBe(key.id);
  expect(readFileSync(join(home, "keys/seal.pub.pem"), "utf8")).toBe(publicPem(key));
  expect(readdirSync(join(home, "keys"))).toEqual(["seal.pem", "seal.pub.pem"]);
  expect([statSync(join(home, "keys")).mode & 0o777, statSync(join(home, "keys/seal.pem")).mode & 0o777]).toEqual([
    0o700, 0o600,
  ]);
});

test("a key that others may read, one of another kind and a broken one are refused", () => {
  const home = tempFolder();
  sealKey(home);
  const file = join(home, "keys/seal.pem");
  chmodSync(file, 0o640);
  expect(() => sealKey(home)).toThrow("readable by others");
  chmodSync(file, 0o600);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }));
  expect(() => sealKey(home)).toThrow("not a readable Ed25519 key");
  writeFileSync(file, "");
  expect(() => sealKey(home)).toThrow("not a readable Ed25519 key");
});
