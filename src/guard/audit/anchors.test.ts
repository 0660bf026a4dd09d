import { execFile, execFileSync } from "node:child_process";
import { createPrivateKey, sign } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { canonicalJson } from "../../lib/json/json-value.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { writeAnchorHead } from "./anchor-files.ts";
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

/** A session with one call, and its anchor. */
function addSession(home: string): string {
  const segment = openSegment(home, { now: () => 0, anchor: appendAnchor });
  segment.append(entry);
  segment[Symbol.dispose]();
  return segment.file;
}

function home(sessions: number) {
  const path = tempFolder();
  const segments = Array.from({ length: sessions }, () => addSession(path));
  const [list, head, key] = ["heads/audit.jsonl", "heads/audit.json", "keys/audit.pem"].map((name) => join(path, name));
  if (list === undefined || head === undefined || key === undefined) throw new Error("three places");
  return { path, segments, list, head, key };
}

const cutList = (list: string, lines: number) =>
  writeFileSync(list, readFileSync(list, "utf8").split("\n").slice(0, lines).concat("").join("\n"));

type Home = ReturnType<typeof home>;

/**
 * Ways to tamper with a home of five sessions without the key, the flaw then reported, and the one reported a session
 * later.
 */
const TAMPERED: readonly [string, (at: Home) => void, string, string][] = [
  [
    "the anchors are removed",
    ({ list }) => rmSync(list),
    "anchors 1 to 5 are missing at the end of heads/audit.jsonl",
    "anchors 1 to 5 are missing before anchor 6",
  ],
  [
    "the anchors are emptied",
    ({ list }) => writeFileSync(list, ""),
    "anchors 1 to 5 are missing at the end of heads/audit.jsonl",
    "anchors 1 to 5 are missing before anchor 6",
  ],
  [
    "log and anchors are removed",
    ({ list, path }) => [list, join(path, "audit")].forEach((each) => rmSync(each, { recursive: true })),
    "anchors 1 to 5 are missing at the end of heads/audit.jsonl",
    "anchors 1 to 5 are missing before anchor 6",
  ],
  [
    "log, anchors and head are removed",
    ({ path }) => ["audit", "heads"].forEach((each) => rmSync(join(path, each), { recursive: true })),
    "the signed head of the anchors is missing",
    "the signed head was missing when this anchor was written, so older ones may be missing",
  ],
  [
    "the head is removed",
    ({ head }) => rmSync(head),
    "the signed head of the anchors is missing",
    "the signed head was missing when this anchor was written, so older ones may be missing",
  ],
  [
    "log and anchors are rolled back to the first two sessions",
    ({ list, segments }) => {
      cutList(list, 2);
      segments.slice(2).forEach((segment) => rmSync(segment));
    },
    "anchors 3 to 5 are missing at the end of heads/audit.jsonl",
    "anchors 3 to 5 are missing before anchor 6",
  ],
  [
    "log, anchors and head are rolled back, the head emptied",
    ({ list, head, segments }) => {
      cutList(list, 2);
      segments.slice(2).forEach((segment) => rmSync(segment));
      writeFileSync(head, "");
    },
    "its signature does not match",
    "the signed head was missing when this anchor was written, so older ones may be missing",
  ],
  [
    "an anchor in the middle is removed",
    ({ list }) => writeFileSync(list, readFileSync(list, "utf8").split("\n").toSpliced(2, 1).join("\n")),
    "anchor 3 is missing before anchor 4",
    "anchor 3 is missing before anchor 4",
  ],
  [
    "two anchors change places",
    ({ list }) => {
      const [first = "", second = "", ...rest] = readFileSync(list, "utf8").split("\n");
      writeFileSync(list, [second, first, ...rest].join("\n"));
    },
    "anchor 1 is missing before anchor 2",
    "anchor 1 is missing before anchor 2",
  ],
  [
    "an anchor is written twice",
    ({ list }) => appendFileSync(list, `${readFileSync(list, "utf8").split("\n")[0] ?? ""}\n`),
    "anchor 1 is where anchor 6 belongs",
    "anchor 1 is where anchor 6 belongs",
  ],
  [
    "a line of its own is added",
    ({ list }) => appendFileSync(list, "{}\n"),
    "this anchor has no valid signature",
    "this anchor has no valid signature",
  ],
  [
    "the count in the head is lowered",
    ({ head }) => writeFileSync(head, readFileSync(head, "utf8").replace('"count":5', '"count":2')),
    "its signature does not match",
    "the signed head was missing when this anchor was written, so older ones may be missing",
  ],
];

test.each(TAMPERED)("when %s, it shows, and still does after another session", (_, tamper, because, later) => {
  const at = home(5);
  expect(verifyAudit(at.path)).toMatchObject({ records: 5, anchors: 5, bad: undefined, head: { count: 5 } });
  tamper(at);
  expect(verifyAudit(at.path).bad?.because).toBe(because);
  addSession(at.path);
  expect(verifyAudit(at.path).bad?.because).toBe(later);
});

test("a list that a dying process left in the middle is taken up where it stands", () => {
  const at = home(2);
  const before = readFileSync(at.head);
  addSession(at.path);
  // The process died after writing its anchor, before moving the head.
  writeFileSync(at.head, before);
  expect(verifyAudit(at.path)).toMatchObject({ anchors: 3, bad: undefined });
  // Another process died in the middle of its line.
  appendFileSync(at.list, '{"segment":"x');
  addSession(at.path);
  expect(verifyAudit(at.path)).toMatchObject({ anchors: 4, bad: undefined, head: { count: 4 } });
});

test("a key whose first anchor was never written is no failure, and neither is an empty home", () => {
  const at = home(1);
  rmSync(at.list);
  rmSync(join(at.path, "audit"), { recursive: true });
  const key = createPrivateKey(readFileSync(at.key));
  writeFileSync(at.head, writeAnchorHead({ count: 0, hash: sha256(""), bytes: 0 }, key));
  expect(verifyAudit(at.path)).toMatchObject({ records: 0, anchors: 0, bad: undefined });
  addSession(at.path);
  expect(verifyAudit(at.path)).toMatchObject({ records: 1, anchors: 1, bad: undefined });
  expect(verifyAudit(tempFolder())).toMatchObject({ records: 0, anchors: 0, bad: undefined });
});

/** The list and the key as older versions wrote them. */
function makeOld(at: Home): void {
  const key = createPrivateKey(readFileSync(at.key));
  const lines = readFileSync(at.list, "utf8").trimEnd().split("\n");
  const old = lines.map((line) => {
    const { segment, hash, count, time } = JSON.parse(line);
    const anchor = { segment, hash, count, time };
    const signature = sign(null, Buffer.from(canonicalJson(anchor)), key).toString("base64");
    return `${JSON.stringify({ ...anchor, signature })}\n`;
  });
  writeFileSync(at.list, old.join(""));
  rmSync(at.head);
}

test("the log of an older version is good, the next session chains it, and from then on a removed anchor shows", () => {
  const at = home(3);
  makeOld(at);
  expect(verifyAudit(at.path)).toMatchObject({ anchors: 3, bad: undefined, unchained: true, head: undefined });
  addSession(at.path);
  expect(verifyAudit(at.path)).toMatchObject({ anchors: 4, bad: undefined, unchained: false, head: { count: 4 } });
  writeFileSync(at.list, readFileSync(at.list, "utf8").split("\n").toSpliced(1, 1).join("\n"));
  expect(verifyAudit(at.path).bad?.because).toBe("anchor 3 is missing before anchor 4");
});

test("an older version that is still running may add its anchors", () => {
  const [old, at] = [home(1), home(2)];
  writeFileSync(old.key, readFileSync(at.key));
  makeOld(old);
  const line = readFileSync(old.list, "utf8");
  const segment = old.segments[0] ?? "";
  writeFileSync(segment.replace(old.path, at.path), readFileSync(segment));
  appendFileSync(at.list, line);
  addSession(at.path);
  expect(verifyAudit(at.path)).toMatchObject({ anchors: 4, bad: undefined, head: { count: 3 } });
});

const WRITER = `
const { appendAnchor } = await import(process.argv[1]);
for (let n = 0; n < 5; n++) appendAnchor(process.argv[2], { segment: "s", hash: "h", count: 1, time: "t" });
`;

test("processes that end at once, at the first use too, give their anchors one order", async () => {
  const path = tempFolder();
  const argv = ["--input-type=module", "--eval", WRITER, join(import.meta.dirname, "anchor.ts"), path];
  await Promise.all([1, 2, 3].map(() => promisify(execFile)(process.execPath, argv)));
  const lines = readFileSync(join(path, "heads/audit.jsonl"), "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).sequence)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
  expect(verifyAudit(path)).toMatchObject({ head: { count: 15 }, bad: { file: "audit/s" } });
});

test.each(["audit/zz.jsonl", "heads/audit.jsonl", "heads/audit.json"])(
  "a pipe, folder or link in place of %s is bad, and does not keep the check from ending",
  (file) => {
    const { path } = home(1);
    const place = join(path, file);
    const bad = { file, line: 0, because: "it is not a regular file" };
    for (const put of [
      () => execFileSync("mkfifo", [place]),
      () => mkdirSync(place),
      () => symlinkSync("/dev/zero", place),
    ]) {
      rmSync(place, { recursive: true, force: true });
      put();
      expect(verifyAudit(path).bad).toEqual(bad);
    }
  },
);
