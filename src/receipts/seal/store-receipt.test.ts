import { spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../lib/json/sha256.ts";
import { expect, test } from "vitest";
import { asNobody, nobodysFolder } from "../../../test/support/as-nobody.ts";
import { sampleFacts, sampleReceipt } from "../../../test/support/sample-receipt.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { Receipt } from "../../contract/receipt.ts";
import { canonicalReceipt, receiptHash } from "./canonical-receipt.ts";
import { sealKey, sealReceipt } from "./seal.ts";
import { storePlaces } from "./chain.ts";
import { hasReceipt, readStore, snapshotStore, storeReceipt } from "./store-receipt.ts";
import { verifyStore } from "./verify-store.ts";

const store = (home: string, receipt: Receipt = sampleReceipt()) =>
  storeReceipt(home, { receipt, facts: sampleFacts(), now: () => new Date(0) });

const report = (home: string) => {
  const { seals, findings } = verifyStore(readStore(home), sealKey(home));
  return { seals: seals.map(({ predicate }) => predicate.sequence), findings };
};

test("a receipt lies there as the bytes that its hash is made of, private, and nothing else is left", () => {
  const home = tempFolder();
  const receipt = sampleReceipt();
  const stored = store(home, receipt);

  expect(stored).toEqual({
    hash: receipt.receipt_sha256,
    sequence: 1,
    file: join(home, "receipts", `${receipt.meta.run_id}.json`),
  });
  expect(sha256(readFileSync(stored.file))).toBe(receipt.receipt_sha256);
  expect(readdirSync(join(home, "receipts")).toSorted()).toEqual(
    [`${receipt.meta.run_id}.json`, "chain.jsonl"].toSorted(),
  );
  expect(readdirSync(join(home, "heads"))).toEqual(["receipts.json"]);
  expect(
    [stored.file, storePlaces(home).chain, storePlaces(home).head].map((file) => statSync(file).mode & 0o777),
  ).toEqual([0o600, 0o600, 0o600]);
  expect(hasReceipt(home, receipt.meta.run_id)).toBe(true);
  expect(report(home)).toEqual({ seals: [1], findings: [] });
});

test("a run has one receipt", () => {
  const home = tempFolder();
  const receipt = sampleReceipt();
  store(home, receipt);
  expect(() => store(home, receipt)).toThrow("this run already has a receipt");
  expect(report(home)).toEqual({ seals: [1], findings: [] });
});

test("an empty home has nothing that could be wrong", () => {
  const home = tempFolder();
  expect(report(home)).toEqual({ seals: [], findings: [] });
  expect(hasReceipt(home, "x")).toBe(false);
});

const PROGRAM = `
  const { storeReceipt } = await import(process.argv[1]);
  const { sampleReceipt, sampleFacts } = await import(process.argv[2]);
  for (let run = 0; run < 5; run++) storeReceipt(process.argv[3], { receipt: sampleReceipt(), facts: sampleFacts(), now: () => new Date() });
`;

function storingProcess(home: string) {
  const child = spawn(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      PROGRAM,
      join(import.meta.dirname, "store-receipt.ts"),
      join(import.meta.dirname, "../../../test/support/sample-receipt.ts"),
      home,
    ],
    { stdio: "ignore" },
  );
  return { child, ended: new Promise<number | null>((resolve) => child.on("close", resolve)) };
}

test("runs that end at once in several processes share one chain", async () => {
  const home = tempFolder();
  const codes = await Promise.all(Array.from({ length: 4 }, () => storingProcess(home).ended));
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(report(home)).toEqual({ seals: Array.from({ length: 20 }, (_, index) => index + 1), findings: [] });
});

test("a process that is killed while it stores leaves a store that the next one makes whole", async () => {
  const home = tempFolder();
  store(home);
  for (let round = 0; round < 8; round++) {
    const { child, ended } = storingProcess(home);
    const before = statSync(storePlaces(home).chain).size;
    // Kill the process as soon as it starts writing, a little later each round.
    while (statSync(storePlaces(home).chain).size === before && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, round));
    child.kill("SIGKILL");
    await ended;
    snapshotStore(home);
    expect(report(home).findings).toEqual([]);
  }
  store(home);
  expect(report(home).findings).toEqual([]);
});

test("every step at which a process can die is finished by the next one", () => {
  const home = tempFolder();
  store(home);
  const places = storePlaces(home);
  const [chain, head] = [readFileSync(places.chain), readFileSync(places.head)];
  const receipt = sampleReceipt();
  const text = canonicalReceipt(receipt);
  const line = sealReceipt(
    {
      receipt,
      hash: sha256(text),
      facts: sampleFacts(),
      place: { sequence: 2, previous: sha256(chain.subarray(0, -1)), sealedAt: "2026-01-01T00:00:00Z" },
    },
    sealKey(home),
  );
  const file = join(places.folder, `${receipt.meta.run_id}.json`);

  const steps: readonly (() => void)[] = [
    () => writeFileSync(places.stagedReceipt, text),
    () => writeFileSync(places.pending, line),
    () => {
      copyFileSync(places.stagedReceipt, file);
      rmSync(places.stagedReceipt);
    },
    () => appendFileSync(places.chain, line.slice(0, 100)),
    () => appendFileSync(places.chain, `${line.slice(100)}\n`),
  ];
  for (let died = 1; died <= steps.length; died++) {
    for (const step of steps.slice(0, died)) step();
    expect(hasReceipt(home, receipt.meta.run_id)).toBe(died > 1);
    expect(report(home)).toEqual({ seals: died > 1 ? [1, 2] : [1], findings: [] });
    // Restore the earlier state for the next step.
    rmSync(file, { force: true });
    writeFileSync(places.chain, chain);
    writeFileSync(places.head, head);
  }
  store(home);
  expect(existsSync(places.stagedReceipt)).toBe(false);
});

test("a pending seal that is not ours, or not the next one, is not added", () => {
  const home = tempFolder();
  store(home);
  const { pending, stagedReceipt } = storePlaces(home);
  const receipt = sampleReceipt();
  const sealed = (owner: string, sequence: number) =>
    sealReceipt(
      {
        receipt,
        hash: receiptHash(receipt),
        facts: sampleFacts(),
        place: { sequence, previous: null, sealedAt: "2026-01-01T00:00:00Z" },
      },
      sealKey(owner),
    );
  writeFileSync(stagedReceipt, canonicalReceipt(receipt));
  for (const line of ["", "{}", sealed(tempFolder(), 2), sealed(home, 2), sealed(home, 7)]) {
    writeFileSync(pending, line);
    expect(() => snapshotStore(home)).toThrow("does not match its seal or the chain");
  }
  expect(report(home)).toEqual({ seals: [1], findings: [] });
});

test("nothing is sealed on top of a broken chain", () => {
  const home = tempFolder();
  store(home);
  const { chain, head } = storePlaces(home);
  const [goodChain, goodHead] = [readFileSync(chain), readFileSync(head)];
  const broken = "the stored receipts do not match their signed head";

  appendFileSync(chain, "x");
  expect(() => store(home)).toThrow(broken);
  writeFileSync(chain, Buffer.from(goodChain).fill("x", 40, 41));
  expect(() => store(home)).toThrow(broken);
  rmSync(chain);
  expect(() => store(home)).toThrow(broken);
  writeFileSync(chain, goodChain);
  writeFileSync(head, goodHead.toString().replace('"count":1', '"count":2'));
  expect(() => store(home)).toThrow(broken);
  rmSync(head);
  expect(() => store(home)).toThrow(broken);
  writeFileSync(head, goodHead);
  expect(store(home).sequence).toBe(2);
});

test("a store that cannot be written says so and stays as it was", () => {
  const home = nobodysFolder();
  asNobody(() => store(home));
  chmodSync(join(home, "heads"), 0o500);
  // The access check uses the real user's rights, so root passes it and fails at the write.
  expect(() => asNobody(() => store(home))).toThrow(/^(cannot store the receipt|signalbox .* here) \(EACCES\)$/);
  chmodSync(join(home, "heads"), 0o700);
  expect(report(home)).toEqual({ seals: [1], findings: [] });
});

test("what was done to a store is told", () => {
  const home = tempFolder();
  const [first, second, third] = [store(home), store(home), store(home)];
  const { chain, folder } = storePlaces(home);
  const lines = readFileSync(chain, "utf8").split("\n");
  const findings = () => report(home).findings.map(({ place, because }) => `${place}: ${because}`);
  const name = (file: string) => file.slice(folder.length + 1);

  writeFileSync(chain, [lines[0], lines[2], ""].join("\n"));
  expect(findings()).toEqual([
    "chain.jsonl, seal 2: seal 2 is missing before seal 3",
    "chain.jsonl, seal 3: the head counts 3 seals, but there are 2",
    `${name(second.file)}: no valid seal covers this file`,
  ]);
  writeFileSync(chain, lines.join("\n"));
  writeFileSync(first.file, "{}");
  rmSync(third.file);
  mkdirSync(join(folder, "more"));
  expect(findings()).toEqual([
    `${name(first.file)}: the receipt was changed: its hash does not match the seal`,
    `${name(third.file)}: the receipt is missing or unreadable`,
    "more: no valid seal covers this file",
  ]);
});
