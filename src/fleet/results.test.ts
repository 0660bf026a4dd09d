import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleFacts, sampleReceipt } from "../../test/support/sample-receipt.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { hashFile } from "../lib/files/hash-file.ts";
import { exportReceipt } from "../receipts/seal/find-receipt.ts";
import { sealKey } from "../receipts/seal/seal.ts";
import { storeReceipt } from "../receipts/seal/store-receipt.ts";
import { type FleetReceipt, signDocument, trustedKeys } from "./documents.ts";
import { pullResult, resultsFolder, verifyReceipt } from "./results.ts";
import { openSqliteFleet } from "./sqlite-fleet.ts";

const receipt = sampleReceipt();
const ORDER = receipt.meta.work_order_id;

/** A finished order with one artifact, and what the submitter gets of it when its receipt says something else. */
async function pull(change: (body: FleetBody, home: string) => FleetBody, tamper: (folder: string) => void = () => {}) {
  const home = tempFolder();
  const folder = join(home, "fleet");
  await using fleet = openSqliteFleet({ folder, leaseMs: 1000, witness: () => "lost" });
  const write = (name: string, content: string) => {
    const file = join(home, name);
    writeFileSync(file, content);
    return file;
  };
  const artifact = write("artifact", "content");
  const sealed = { path: "out/log.txt", sha256: hashFile(artifact), size: 7 };
  const facts = sampleFacts({ artifacts_folder: home, artifacts: [sealed] });
  storeReceipt(home, { receipt, facts, now: () => new Date(0) });
  const body: FleetBody = {
    order: ORDER,
    attempt: 1,
    worker: "w#1",
    outcome: "ended",
    exit_code: 0,
    because: "done",
    run: receipt.meta.run_id,
    receipt: await fleet.putBlob(write("receipt.json", exportReceipt(home, receipt.meta.run_id))),
    patch: await fleet.putBlob(write("patch", "diff")),
    artifacts: [{ path: sealed.path, blob: await fleet.putBlob(artifact) }],
    at: "2026-01-01T00:00:00Z",
  };
  tamper(join(folder, "blobs"));
  const document = signDocument("receipt", change(body, home), sealKey(home));
  const verified = verifyReceipt({ sequence: 1, id: ORDER, document }, trustedKeys(home));
  if (!verified.good) return { verified, results: [] };
  const pulled = await pullResult(verified, document, { fleet, home });
  const results = existsSync(resultsFolder(home)) ? readdirSync(resultsFolder(home), { recursive: true }) : [];
  return { home, pulled, results: results.map(String).toSorted() };
}

type FleetBody = Omit<FleetReceipt, "signer" | "version">;

test("a result that verifies is stored with its patch and its artifacts", async () => {
  const { home = "", pulled, results } = await pull((body) => body);
  const folder = join(resultsFolder(home), ORDER);
  expect(pulled).toEqual({ folder, isNew: true });
  expect(results.filter((name) => name.includes(".")).map((name) => name.slice(ORDER.length + 1))).toEqual([
    "artifacts/out/log.txt",
    "changes.patch",
    "fleet-receipt.json",
    "receipt.json",
  ]);
  expect(readFileSync(join(folder, "artifacts/out/log.txt"), "utf8")).toBe("content");
});

test.each([
  "../evil",
  "/etc/evil",
  "a/../../evil",
  "a//b",
  "./a",
  String.raw`a\..\evil`,
  "a\0b",
  ".git/hooks/post-checkout",
  "",
])("an artifact whose path is %j is refused, and nothing stays of the result", async (path) => {
  const { pulled, results } = await pull((body) => ({
    ...body,
    artifacts: body.artifacts.map(({ blob }) => ({ path, blob })),
  }));
  expect([pulled, results]).toEqual([{ because: expect.stringContaining("leads out of the folder") }, []]);
});

test.each<[string, (body: FleetBody) => FleetBody, string]>([
  [
    "an artifact that was not sealed",
    (body) => ({ ...body, artifacts: [{ path: "out/log.txt", blob: body.patch ?? { sha256: "", size: 0 } }] }),
    "is not the one that was sealed",
  ],
  ["an artifact twice", (body) => ({ ...body, artifacts: [...body.artifacts, ...body.artifacts] }), "was sent twice"],
  ["another run", (body) => ({ ...body, run: ORDER }), "is for another order"],
  ["a patch as its receipt", (body) => ({ ...body, receipt: body.patch }), "JSON"],
  [
    "a file that is not there",
    (body) => ({ ...body, patch: { sha256: "0".repeat(64), size: 1 } }),
    "is not in the store",
  ],
])("a result with %s is refused, and nothing stays of it", async (_, change, because) => {
  const { pulled, results } = await pull(change);
  expect([pulled, results]).toEqual([{ because: expect.stringContaining(because) }, []]);
});

test("a result whose file was changed in the store is refused", async () => {
  const { pulled, results } = await pull(
    (body) => body,
    (blobs) => {
      for (const name of readdirSync(blobs, { recursive: true }).map(String))
        if (name.length > 10) writeFileSync(join(blobs, name), "evil");
    },
  );
  expect([pulled, results]).toEqual([{ because: expect.stringContaining("is not what its name says") }, []]);
});

test("a receipt for another order does not verify", async () => {
  const { verified } = await pull((body) => ({ ...body, order: receipt.meta.run_id }));
  expect(verified).toEqual({ good: false, because: "it is for another order" });
});
