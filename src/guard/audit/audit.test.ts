import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { appendAnchor } from "./anchor.ts";
import { openSegment } from "./write-audit.ts";
import type { AuditEntry } from "../../contract/verdict.ts";
import { verifyAudit } from "./verify-audit.ts";

const entry: AuditEntry = {
  time: "2026-01-01T00:00:00.000Z",
  session: "s",
  agent: "a",
  tool: "Bash",
  call: "{}",
  cwd: "/w",
  effects: [],
  verdict: "allow",
  code: "rule-allow",
  rules: ["r"],
  policy: "p",
};
const parts = { now: () => 0, anchor: appendAnchor };

/** A folder with one segment of three records and its anchor. */
function writtenSegment() {
  const folder = tempFolder();
  const segment = openSegment(folder, parts);
  for (const tool of ["Bash", "Read", "Write"]) segment.append({ ...entry, tool });
  segment[Symbol.dispose]();
  return { folder, file: segment.file };
}

function tampered(change: (text: string) => string) {
  const { folder, file } = writtenSegment();
  writeFileSync(file, change(readFileSync(file, "utf8")));
  return verifyAudit(folder).bad;
}

test("an untouched log is good, private, and wholly anchored", () => {
  const { folder, file } = writtenSegment();
  expect(verifyAudit(folder)).toEqual({
    segments: 1,
    records: 3,
    anchors: 1,
    head: { count: 1, hash: sha256(readFileSync(join(folder, "heads", "audit.jsonl"), "utf8").trimEnd()) },
    bad: undefined,
    unanchored: 0,
    unchained: false,
    pruned: [],
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("the first bad record is named, whatever was done to it", () => {
  expect(tampered((text) => text.replace('"Read"', '"Grep"'))).toMatchObject({
    line: 2,
    because: "it was changed: its hash does not match",
  });
  expect(tampered((text) => text.split("\n").toSpliced(0, 1).join("\n"))).toMatchObject({
    line: 1,
    because: "its number is 2, not 1",
  });
  expect(tampered((text) => text.slice(0, -20))).toMatchObject({ line: 3, because: "the last record is truncated" });
  expect(tampered((text) => `${text.split("\n").slice(0, 2).join("\n")}\n`)).toMatchObject({
    line: 3,
    because: "1 anchored records are missing at the end",
  });
  expect(tampered((text) => text.replace(/\n.*Read.*\n/, "\nnot json\n"))).toMatchObject({
    line: 2,
    because: "it is not JSON",
  });
  expect(tampered(() => "")).toMatchObject({ line: 1, because: "3 anchored records are missing at the end" });
});

test("a segment that is gone, and an anchor that was edited, show", () => {
  const { folder, file } = writtenSegment();
  const heads = join(folder, "heads", "audit.jsonl");
  const original = readFileSync(heads, "utf8");
  writeFileSync(heads, original.replace('"count":3', '"count":2'));
  expect(verifyAudit(folder).bad).toMatchObject({ file: "heads/audit.jsonl" });
  writeFileSync(heads, original);
  rmSync(file);
  expect(verifyAudit(folder).bad).toMatchObject({ because: "an anchor names this segment, but it is missing" });
});

test("a key that is empty, broken or gone is not taken for a good one", () => {
  for (const text of ["", "-----BEGIN PRIVATE KEY-----\n", "garbage"]) {
    const { folder } = writtenSegment();
    writeFileSync(join(folder, "keys", "audit.pem"), text);
    const bad = { file: "keys/audit.pem", line: 0, because: "it contains no key, so anchors cannot be verified" };
    expect(verifyAudit(folder).bad).toEqual(bad);
    rmSync(join(folder, "heads"), { recursive: true });
    expect(verifyAudit(folder).bad).toEqual(bad);
  }
  const { folder } = writtenSegment();
  rmSync(join(folder, "keys"), { recursive: true });
  expect(verifyAudit(folder).bad).toMatchObject({ file: "keys/audit.pem" });
  expect(readdirSync(folder).toSorted()).toEqual(["audit", "heads", "locks"]);
});

test("two writers at once do not mix their lines", () => {
  const folder = tempFolder();
  const one = openSegment(folder, parts);
  const other = openSegment(folder, parts);
  for (let round = 0; round < 20; round++) {
    one.append(entry);
    other.append(entry);
  }
  one[Symbol.dispose]();
  other[Symbol.dispose]();
  expect(verifyAudit(folder)).toMatchObject({ segments: 2, records: 40, anchors: 2, bad: undefined, unanchored: 0 });
  expect(readdirSync(join(folder, "audit"))).toHaveLength(2);
});

test("a closed log does not take another record", () => {
  const folder = tempFolder();
  const segment = openSegment(folder, { now: () => 0 });
  segment[Symbol.dispose]();
  expect(() => segment.append(entry)).toThrow();
});

test("a place that cannot hold a log is an error, which the caller turns into a denial", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "audit"), "in the way");
  expect(() => openSegment(folder, { now: () => 0 })).toThrow();
});

test("a segment without a record is removed when it is closed", () => {
  const folder = tempFolder();
  openSegment(folder, { now: () => 0 })[Symbol.dispose]();
  expect(readdirSync(join(folder, "audit"))).toEqual([]);
});
