import { generateKeyPairSync } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { appendTombstones, byDay, prunedLine, readTombstones } from "./tombstones.ts";

const key = generateKeyPairSync("ed25519").privateKey;
const signing = { list: "things", key };
const item = (name: string) => ({ kind: "thing", name, hash: `hash of ${name}`, bytes: 1 });
const DAY = "2026-01-02";

function listWith(...names: string[]): string {
  const file = join(tempFolder(), "heads/pruned.jsonl");
  for (const name of names) appendTombstones(file, { items: [item(name)], now: Date.parse(DAY) }, signing);
  return file;
}

const change = (file: string, how: (text: string) => string) => writeFileSync(file, how(readFileSync(file, "utf8")));

test("a record names what it was made for, and nothing else", () => {
  const { prunedAt, flaw } = readTombstones(listWith("a", "b"), signing);
  expect(flaw).toBeUndefined();
  expect([item("a"), item("b"), { ...item("a"), hash: "other" }, { ...item("a"), kind: "x" }].map(prunedAt)).toEqual([
    `${DAY}T00:00:00.000Z`,
    `${DAY}T00:00:00.000Z`,
    undefined,
    undefined,
  ]);
});

test.each([
  ["another name", (text: string) => text.replace('"name":"a"', '"name":"z"'), "no valid signature"],
  ["another date", (text: string) => text.replace("2026-01-02", "2026-01-03"), "no valid signature"],
  ["a line of one's own", (text: string) => `{}\n${text}`, "no valid signature"],
  ["no JSON", (text: string) => `x\n${text}`, "not a record of a prune"],
  ["a newer line", (text: string) => text.replace('"version":1', '"version":2'), "newer signalbox (format 2)"],
])("%s is found", (_, how, because) => {
  const file = listWith("a");
  change(file, how);
  expect(readTombstones(file, signing).flaw).toMatchObject({ line: 1, because: expect.stringContaining(because) });
});

test("a line of another list or another key does not count", () => {
  const file = listWith("a");
  const other = { list: "things", key: generateKeyPairSync("ed25519").privateKey };
  for (const wrong of [{ ...signing, list: "others" }, other])
    expect(readTombstones(file, wrong).prunedAt(item("a"))).toBeUndefined();
});

test("half a line of a killed prune is dropped by the next one", () => {
  const file = listWith("a");
  appendFileSync(file, '{"items":[{"by');
  expect(readTombstones(file, signing).flaw).toBeUndefined();
  appendTombstones(file, { items: [item("b")], now: 0 }, signing);
  const { prunedAt, flaw } = readTombstones(file, signing);
  expect([flaw, prunedAt(item("a")), prunedAt(item("b"))]).toEqual([
    undefined,
    `${DAY}T00:00:00.000Z`,
    "1970-01-01T00:00:00.000Z",
  ]);
});

test("what was pruned is counted by day and kind", () => {
  const pruned = ["2026-02-01", "2026-01-01", "2026-02-01"].map((date) => ({ date: `${date}T10:00`, kind: "segment" }));
  expect(byDay(pruned).map(prunedLine)).toEqual(["1 segment pruned on 2026-01-01", "2 segments pruned on 2026-02-01"]);
});
