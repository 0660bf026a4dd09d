import { sign } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { findReceipt } from "../src/receipts/seal/find-receipt.ts";
import { sealKey } from "../src/receipts/seal/seal.ts";
import { readyStore } from "../src/receipts/seal/store-receipt.ts";
import { verifyFile, verifyHome } from "../src/receipts/seal/verify-receipts.ts";
import { findRun, readRuns } from "../src/receipts/run/known-runs.ts";
import { readAnchorKey } from "../src/guard/audit/anchor-files.ts";
import { appendAnchor } from "../src/guard/audit/anchor.ts";
import { newCounts, readDecisions } from "../src/guard/audit/read-decisions.ts";
import { hashOf } from "../src/guard/audit/write-audit.ts";
import { listSegments, verifyAudit } from "../src/guard/audit/verify-audit.ts";
import { compiledFile, readCompiled } from "../src/guard/policy/compiled-policy.ts";
import { readPolicyFile } from "../src/guard/policy/load-policy.ts";
import { readTrust, refuseNewerTrust, trust } from "../src/guard/policy/trust.ts";
import { readTaint, raiseTaint } from "../src/guard/taint-store.ts";
import { canonicalJson, isRecord } from "../src/lib/json/json-value.ts";
import { newerFormat } from "../src/lib/json/file-format.ts";
import { ownerLife, ownerOf, ownFolder } from "../src/lib/process/folder-owner.ts";
import { messageOf } from "../src/lib/text/user-error.ts";
import { parseJson } from "../src/lib/json/parse-json.ts";
import { readProof, writeProof } from "../src/sandbox/sandbox-trial.ts";
import { findSnapshot } from "../src/snapshots/saved-session.ts";
import { parseManifest } from "../src/staging/manifest.ts";
import { openWorkItems } from "../src/native/tools/work-items.ts";
import { writeFiles } from "./support/git-repository.ts";
import { addRun, runId } from "./support/prune-scene.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

const NEWER = "written by a newer signalbox (format 2)";
const TRUSTED = { path: "/w/x", text: "x", time: "2026-01-01T00:00:00.000Z" };

/** A home with one run, its receipt and its part of the audit log. */
function homeWithRun(): string {
  const home = tempFolder();
  addRun(home, tempFolder(), { number: 1, time: Date.now() });
  return home;
}

/** Writes a JSON file anew as `change` returns it. */
function rewrite(path: string, change: (value: Record<string, unknown>) => unknown): void {
  const [line = "", ...rest] = readFileSync(path, "utf8").split("\n");
  const value: unknown = parseJson(line.startsWith('{"') ? line : [line, ...rest].join("\n"));
  if (!isRecord(value)) throw new Error(`${path} has no object`);
  writeFileSync(path, `${canonicalJson(change(value))}\n`);
}

const asNewer = (path: string) => rewrite(path, (value) => ({ ...value, version: 2 }));
const inRun = (home: string, file: string) => join(home, "runs", runId(1), file);
const thrown = (work: () => unknown): string => {
  try {
    return `nothing was thrown: ${JSON.stringify(work())}`;
  } catch (error) {
    return messageOf(error);
  }
};
const because = (findings: readonly { readonly because: string }[]) => findings.map((each) => each.because).join();

/** Each kept file: the file, what reads it, and what its readers then say. */
const FILES: readonly (readonly [string, (home: string) => string, (home: string) => string])[] = [
  ["run.json", (home) => inRun(home, "run.json"), (home) => because(readRuns(home).unread)],
  ["run.json, asked for by id", (home) => inRun(home, "run.json"), (home) => thrown(() => findRun(home, runId(1)))],
  ["closed.json", (home) => inRun(home, "closed.json"), (home) => because(readRuns(home).unread)],
  ["heads/receipts.json", (home) => join(home, "heads/receipts.json"), (home) => because(verifyHome(home).findings)],
  [
    "heads/receipts.json, before a run",
    (home) => join(home, "heads/receipts.json"),
    (home) => thrown(() => readyStore(home)),
  ],
  ["heads/audit.json", (home) => join(home, "heads/audit.json"), (home) => verifyAudit(home).bad?.because ?? ""],
  ["heads/audit.jsonl", (home) => join(home, "heads/audit.jsonl"), (home) => verifyAudit(home).bad?.because ?? ""],
  [
    "an audit record",
    (home) => join(home, "audit", listSegments(home)[0] ?? ""),
    (home) => verifyAudit(home).bad?.because ?? "",
  ],
];

test.each(FILES)("%s of a newer signalbox is named as such, and left as it is", (_, file, read) => {
  const home = homeWithRun();
  asNewer(file(home));
  const before = readFileSync(file(home), "utf8");
  expect(read(home)).toContain(NEWER);
  expect(readFileSync(file(home), "utf8")).toBe(before);
});

test("anchors of a newer signalbox are not continued, and its records end what is learned from a segment", () => {
  const home = homeWithRun();
  asNewer(join(home, "heads/audit.json"));
  const before = readFileSync(join(home, "heads/audit.json"), "utf8");
  appendAnchor(home, { segment: "x", hash: "h", count: 1, time: "t" });
  expect(readFileSync(join(home, "heads/audit.json"), "utf8")).toBe(before);

  const segment = join(home, "audit", listSegments(home)[0] ?? "");
  rewrite(segment, (value) => {
    const body = { ...value, version: 2, hash: undefined };
    return { ...body, hash: hashOf(body) };
  });
  const counts = newCounts();
  expect([[...readDecisions(home, counts)], counts.newer, counts.damaged]).toEqual([[], 1, 0]);
});

test.each([
  ["audit verify", ["audit", "verify"], "heads/audit.json", 1],
  ["cancel", ["cancel", runId(1)], join("runs", runId(1), "run.json"), 3],
])("%s of a newer format advises to update, once and nothing else", async (_, args, file, expected) => {
  const home = homeWithRun();
  asNewer(join(home, file));
  const { code, stdout, stderr } = await signalbox(args, { env: { SIGNALBOX_HOME: home } });
  const said = `${stdout}${stderr}`;
  expect([code, said.split("update signalbox").length - 1, said]).toEqual([
    expected,
    1,
    expect.stringContaining(NEWER),
  ]);
  expect(said).not.toContain("once you know why");
});

test("trust of a newer signalbox trusts nothing here and cannot be overwritten", () => {
  const home = tempFolder();
  const file = join(home, "trust.json");
  writeFileSync(file, '{"version":2,"files":[]}');
  expect(readTrust(home)).toEqual([]);
  for (const work of [() => trust(home, TRUSTED), () => refuseNewerTrust(home)]) expect(thrown(work)).toBe(NEWER);
  expect(readFileSync(file, "utf8")).toBe('{"version":2,"files":[]}');
});

test("other files of a newer signalbox are named as such", () => {
  const home = tempFolder();
  const manifest = Buffer.from('{"version":2,"about":"","agents":[],"required":true,"folders":[],"files":[]}');
  writeFiles(home, {
    "snapshots/abcd/session.json": '{"version":2}',
    "export.json": '{"format":"signalbox-receipt/v2"}',
  });
  raiseTaint(home, "s", { since: "now", because: "x" });
  const database = new DatabaseSync(join(home, "items.db"));
  database.exec("pragma user_version = 2");
  database.close();
  expect([
    thrown(() => parseManifest(manifest)),
    thrown(() => readPolicyFile("version: 2\nholograms: []\n", "policy.yaml")),
    thrown(() => findSnapshot(home, "abcd")),
    thrown(() => verifyFile(join(home, "export.json"), home, undefined)),
    thrown(() => openWorkItems(join(home, "items.db")).list()),
  ]).toEqual([NEWER, NEWER, NEWER, NEWER, `the work items were ${NEWER}`]);
});

test("an owner of a newer signalbox may be alive", () => {
  const folder = tempFolder();
  ownFolder(folder)[Symbol.dispose]();
  writeFileSync(join(folder, "owner.json"), '{"version":2}');
  expect([ownerOf(folder) === undefined, ownerLife(folder)]).toEqual([false, "unknown"]);
});

test("sandbox proofs of a newer signalbox are neither used nor replaced", () => {
  const home = tempFolder();
  const proof = { provenAt: "now", closesUserNamespaces: true, usesHelper: true };
  const file = join(home, "sandbox-proof.json");
  writeProof(home, "key", proof);
  expect(readProof(home, "key")).toEqual(proof);
  writeFileSync(file, '{"version":2,"key":{"provenAt":"now","closesUserNamespaces":true,"usesHelper":true}}');
  writeProof(home, "other", proof);
  expect([readProof(home, "key"), readFileSync(file, "utf8").startsWith('{"version":2,')]).toEqual([undefined, true]);
});

test("files of early releases, which have no version, are still read", () => {
  const home = homeWithRun();
  for (const file of ["run.json", "closed.json"])
    rewrite(inRun(home, file), ({ version: _version, ...value }) => value);
  rewrite(join(home, "heads/receipts.json"), ({ version: _version, signature: _signature, ...head }) => {
    const bytes = Buffer.from(`signalbox receipts head ${canonicalJson(head)}`);
    return { ...head, signature: sign(null, bytes, sealKey(home).privateKey).toString("base64") };
  });
  const key = readAnchorKey(home);
  if (typeof key !== "object") throw new Error("there is a key");
  rewrite(join(home, "heads/audit.json"), ({ version: _version, signature: _signature, ...head }) => {
    const bytes = Buffer.from(`signalbox audit head ${canonicalJson(head)}`);
    return { ...head, signature: sign(null, bytes, key).toString("base64") };
  });
  writeFileSync(join(home, "trust.json"), JSON.stringify([{ ...TRUSTED, hash: "h" }]));
  writeFiles(home, { "sandbox-proof.json": '{"k":{"provenAt":"t","closesUserNamespaces":true,"usesHelper":false}}' });
  expect(readRuns(home)).toMatchObject({ runs: [{ end: { outcome: "complete" } }], unread: [] });
  expect([verifyHome(home).findings, verifyAudit(home).bad]).toEqual([[], undefined]);
  expect(findReceipt(home, "last").text).toContain(runId(1));
  expect(readTrust(home)).toEqual([{ ...TRUSTED, hash: "h" }]);
  expect(readProof(home, "k")?.provenAt).toBe("t");
  readyStore(home);
});

test("a taint of a newer signalbox still counts, and its compiled policy is not used", () => {
  const home = tempFolder();
  raiseTaint(home, "s", { since: "now", because: "x" });
  expect(readTaint(home, "s")).toEqual({ since: "now", because: "x" });
  asNewer(join(home, "taint", readdirSync(join(home, "taint"))[0] ?? ""));
  expect(readTaint(home, "s")?.because).toBe(`the taint was ${NEWER}; update signalbox`);

  const places = { folder: home, workspaceRoot: "/w", home, candidates: [join(home, "policy.yaml")] };
  const compiled = compiledFile(home, "/w");
  mkdirSync(dirname(compiled), { recursive: true });
  writeFileSync(compiled, '{"version":2}');
  writeFileSync(join(home, "policy.yaml"), "version: 1\n");
  expect(thrown(() => readCompiled(places))).toBe(`the compiled policy was ${NEWER}; run: signalbox guard compile`);
});

test("only a higher number is newer", () => {
  const values = [{ version: 2 }, { version: 1 }, { version: "2" }, {}, [], null, "x", { version: Number.NaN }];
  expect(values.map((value) => newerFormat(value))).toEqual([NEWER, ...values.slice(1).map(() => undefined)]);
});
