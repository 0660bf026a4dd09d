import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleFacts, sampleReceipt } from "../../../test/support/sample-receipt.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { findReceipt, latestReceipts } from "./find-receipt.ts";
import { readIndex } from "./receipt-index.ts";
import { sealKey } from "./seal.ts";
import { storeReceipt } from "./store-receipt.ts";

const idOf = (number: number) => `${String(number).padStart(4, "0")}aaaa-0000-4000-8000-000000000000`;

function store(home: string, numbers: readonly number[]): void {
  for (const number of numbers)
    storeReceipt(home, { receipt: sampleReceipt({}, idOf(number)), facts: sampleFacts(), now: () => new Date(0) });
}

function homeWith(...numbers: number[]) {
  const home = tempFolder();
  store(home, numbers);
  const places = { index: join(home, "heads/receipts.index"), chain: join(home, "receipts/chain.jsonl") };
  const found = (run: string) => findReceipt(home, run).statement.predicate.run_id;
  const known = () => readIndex(home, sealKey(home))?.map(({ run }) => run);
  return { home, ...places, found, known };
}

test("the first look builds the index, and the next ones extend it by what is new", () => {
  const { home, index, found, known } = homeWith(1, 2, 3);
  expect([existsSync(index), found("0002"), existsSync(index)]).toEqual([false, idOf(2), true]);
  const before = statSync(index).ino;
  expect([found(idOf(1)), found("last"), statSync(index).ino]).toEqual([idOf(1), idOf(3), before]);
  store(home, [4, 5]);
  expect([found("last"), found("0004"), known()]).toEqual([idOf(5), idOf(4), [1, 2, 3, 4, 5].map(idOf)]);
  const latest = latestReceipts(home, 2).map(({ statement }) => statement.predicate.run_id);
  expect([latest, latestReceipts(home, 0)]).toEqual([[idOf(4), idOf(5)], []]);
});

/** How many bytes this process has read so far. */
const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);

test.skipIf(!existsSync("/proc/self/io"))("to find one receipt, the seals of the others are not read", () => {
  const { home, chain, found } = homeWith(1);
  const command = "x".repeat(4_000_000);
  const facts = sampleFacts({ acceptance: [{ command, exit_code: 0, tree: null }] });
  storeReceipt(home, { receipt: sampleReceipt({}, idOf(2)), facts, now: () => new Date(0) });
  store(home, [3]);
  found("last");
  const before = bytesRead();
  expect([found("0001"), found("last")]).toEqual([idOf(1), idOf(3)]);
  expect(bytesRead() - before).toBeLessThan(statSync(chain).size / 4);
});

test("a seal that was changed is looked for in the whole chain, and is not believed", () => {
  const { chain, found } = homeWith(1, 2, 3);
  expect(found("last")).toBe(idOf(3));
  writeFileSync(chain, `{"x":1${readFileSync(chain, "utf8").slice(6)}`);
  expect(found(idOf(2))).toBe(idOf(2));
  expect(() => found(idOf(1))).toThrow("no receipt for run");
});

test("a look from inside a session writes no index", () => {
  const { index, found } = homeWith(1, 2);
  process.env["SIGNALBOX_RUN"] = "outer";
  try {
    expect([found("0001"), existsSync(index)]).toEqual([idOf(1), false]);
  } finally {
    delete process.env["SIGNALBOX_RUN"];
  }
});

/** The same entries in another order, with other places, or fewer of them. */
const LIES: readonly [string, (text: string) => string][] = [
  ["empty", () => ""],
  ["not an index", () => "\0\0\0"],
  ["cut", (text) => text.slice(0, -10)],
  ["of another version", (text) => text.replace('"version":1', '"version":2')],
  ["without a run", (text) => text.replace(/^0002.*\n/m, "")],
  ["with a run twice", (text) => text.replace(/^(0002.*\n)/m, "$1$1")],
  [
    "with runs swapped",
    (text) => text.replace("0001aaaa", "9999aaaa").replace("0002aaaa", "0001aaaa").replace("9999aaaa", "0002aaaa"),
  ],
  ["that points elsewhere", (text) => text.replace(/ \d+ (\d+)\n/g, " 7 $1\n")],
  ["that claims to end elsewhere", (text) => text.replace(/"bytes":\d+/, '"bytes":1')],
];

test.each(LIES)("an index %s is built anew, and never believed", (_, lie) => {
  const { index, found, known } = homeWith(1, 2, 3);
  found("last");
  const good = readFileSync(index, "utf8");
  const bad = lie(good);
  expect(bad).not.toBe(good);
  writeFileSync(index, bad);
  expect([found("0001"), found("0002"), found("last"), known()]).toEqual([
    idOf(1),
    idOf(2),
    idOf(3),
    [1, 2, 3].map(idOf),
  ]);
  expect(() => found("000")).toThrow("3 runs start with");
  expect(readFileSync(index, "utf8")).toBe(good);
});

test("an index of another store says nothing about this one", () => {
  const [one, other] = [homeWith(1, 2, 3), homeWith(4, 5, 6)];
  for (const { found } of [one, other]) found("last");
  writeFileSync(one.index, readFileSync(other.index));
  expect([one.found("0001"), one.known()]).toEqual([idOf(1), [1, 2, 3].map(idOf)]);
  // Our own, of a chain that was begun anew.
  const own = readFileSync(one.index);
  rmSync(join(one.home, "receipts"), { recursive: true });
  rmSync(join(one.home, "heads/receipts.json"));
  store(one.home, [7, 8, 9, 10]);
  writeFileSync(one.index, own);
  expect([one.found("last"), one.known()]).toEqual([idOf(10), [7, 8, 9, 10].map(idOf)]);
});

test("without a head that fits the chain, or a home to write to, everything is read and nothing is built", () => {
  const { home, index, chain, found, known } = homeWith(1, 2);
  writeFileSync(chain, readFileSync(chain, "utf8").split("\n", 1).join("").concat("\n"));
  expect([known(), found("last"), existsSync(index)]).toEqual([undefined, idOf(1), false]);
  rmSync(join(home, "heads"), { recursive: true });
  expect([known(), found("last")]).toEqual([undefined, idOf(1)]);
});
