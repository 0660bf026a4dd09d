import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addRun, age, auditEntry, DAY, runId } from "../../../test/support/prune-scene.ts";
import { everything, writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { chain, openSegment } from "../../guard/audit/write-audit.ts";
import { pruneAudit, recordHash, verifyAudit } from "../../guard/audit/verify-audit.ts";
import { ownFolder } from "../../lib/process/folder-owner.ts";
import { emptyTrash } from "../../lib/files/prune.ts";
import { findReceipt } from "../seal/find-receipt.ts";
import { verifyHome } from "../seal/verify-receipts.ts";
import { pruneReceiptsOfRuns, pruneRuns } from "./prune-runs.ts";

const NOW = Date.now();

/** Three runs: two that ended 60 days ago, and one of today. */
function scene(times: readonly number[] = [NOW - 60 * DAY, NOW - 60 * DAY, NOW]) {
  const [home, workspace] = [tempFolder(), tempFolder()];
  for (const [index, time] of times.entries()) addRun(home, workspace, { number: index + 1, time });
  const order = { home, before: NOW - 30 * DAY, dryRun: false };
  const artifact = (number: number) => join(workspace, ".agent-backplane/artifacts", runId(number), "0001-bash.txt");
  return { home, workspace, order, artifact };
}

const runsIn = (home: string) => readdirSync(join(home, "runs")).filter((name) => name !== "lock.db");
const whats = (report: { readonly pruned: readonly { readonly what: string }[] }) =>
  report.pruned.map(({ what }) => what);

test("old runs go with their artifacts, the receipts stay, and verify counts what was pruned", async () => {
  const { home, order, artifact } = scene();
  const before = everything(home);
  const dry = await pruneRuns({ ...order, dryRun: true });
  expect(everything(home)).toEqual(before);
  const done = await pruneRuns(order);
  expect([whats(dry), whats(done)]).toEqual([whats(done), expect.arrayContaining([`run ${runId(1)}`])]);
  expect(runsIn(home)).toEqual([runId(3)]);
  expect([1, 2, 3].map((number) => existsSync(artifact(number)))).toEqual([false, false, true]);
  const { findings, gone, pruned, seals } = verifyHome(home);
  expect({ findings, gone, seals: seals.length, pruned }).toEqual({
    findings: [],
    gone: [],
    seals: 3,
    pruned: [{ on: new Date().toISOString().slice(0, 10), kind: "artifact", count: 2 }],
  });
  expect(findReceipt(home, runId(1)).text).toContain(runId(1));
  expect(await pruneRuns(order)).toEqual({ pruned: [], kept: [] });
});

test("receipts go only by themselves; their seals stay, and each says that it was pruned", async () => {
  const { home, order } = scene();
  expect(whats(await pruneReceiptsOfRuns(order))).toEqual([`receipt ${runId(1)}`, `receipt ${runId(2)}`]);
  const { findings, pruned } = verifyHome(home);
  expect([findings, pruned.map(({ kind, count }) => [kind, count])]).toEqual([[], [["receipt", 2]]]);
  expect(() => findReceipt(home, runId(1))).toThrow(/was pruned on \d{4}-\d\d-\d\d/);
});

test.each([
  ["an artifact that is deleted by hand", (at: ReturnType<typeof scene>) => rmSync(at.artifact(3)), "gone"],
  [
    "a receipt that is deleted by hand",
    (at: ReturnType<typeof scene>) => rmSync(join(at.home, "receipts", `${runId(3)}.json`)),
    "findings",
  ],
  [
    "the record of a prune that is changed",
    (at: ReturnType<typeof scene>) => {
      const file = join(at.home, "heads/receipts.pruned.jsonl");
      writeFileSync(file, readFileSync(file, "utf8").replace("artifact", "Artifact"));
    },
    "findings",
  ],
  [
    "the record of a prune that is deleted",
    (at: ReturnType<typeof scene>) => rmSync(join(at.home, "heads/receipts.pruned.jsonl")),
    "gone",
  ],
] as const)("%s is still found after a prune", async (_, tamper, where) => {
  const at = scene();
  await pruneRuns(at.order);
  tamper(at);
  expect(verifyHome(at.home)[where]).not.toEqual([]);
});

test("what was changed is neither recorded as pruned nor removed", async () => {
  const { home, order, artifact } = scene();
  writeFileSync(artifact(1), "forged");
  writeFileSync(join(home, "receipts", `${runId(2)}.json`), "{}");
  age(join(home, "receipts"), NOW - 60 * DAY);
  const because = async (done: ReturnType<typeof pruneRuns>) => (await done).kept.map((each) => each.because);
  expect(await because(pruneRuns(order))).toEqual(["it was changed: see signalbox receipt verify"]);
  expect(await because(pruneReceiptsOfRuns(order))).toEqual(["it was changed: see signalbox receipt verify"]);
  expect(existsSync(artifact(1))).toBe(true);
  expect(verifyHome(home).findings.map(({ place }) => place)).toEqual([`${runId(2)}.json`, artifact(1)]);
});

test("a run that may be active, that has not ended, or that a newer signalbox wrote stays", async () => {
  const old = NOW - 60 * DAY;
  const { home, order } = scene([old, old, old, old]);
  using _owner = ownFolder(join(home, "runs", runId(1)));
  rmSync(join(home, "runs", runId(2), "closed.json"));
  writeFiles(join(home, "runs", runId(3)), { "run.json": '{"version":2,"mode":"hologram"}' });
  age(join(home, "runs"), old);
  const { pruned, kept } = await pruneRuns(order);
  expect(pruned.map(({ what }) => what)).toEqual([`run ${runId(4)}`, "1 artifacts of these runs"]);
  expect(kept).toEqual([
    { what: `run ${runId(1)}`, because: "it may still be active" },
    { what: `run ${runId(2)}`, because: "it has not ended: see signalbox runs" },
    { what: `run ${runId(3)}`, because: "written by a newer signalbox (format 2); update signalbox" },
  ]);
});

test("a clock that was set back does not make a younger run or segment old", async () => {
  const { home, order } = scene([NOW, NOW - 900 * DAY]);
  expect((await pruneRuns(order)).pruned).toEqual([]);
  expect(pruneAudit(order).pruned).toEqual([]);
  expect(runsIn(home)).toEqual([runId(1), runId(2)]);
});

test("artifacts behind a link in the workspace are left alone", async () => {
  const { home, workspace, order } = scene();
  const elsewhere = join(tempFolder(), "elsewhere");
  renameSync(join(workspace, ".agent-backplane"), elsewhere);
  symlinkSync(elsewhere, join(workspace, ".agent-backplane"));
  const before = everything(elsewhere);
  const { kept } = await pruneRuns(order);
  expect([everything(elsewhere), kept.length]).toEqual([before, 2]);
  expect(verifyHome(home)).toMatchObject({ findings: [], gone: [] });
});

test("old segments of the audit log go, and the log and the receipts still verify", () => {
  const { home, order } = scene();
  expect(pruneAudit({ ...order, dryRun: true }).pruned).toHaveLength(2);
  expect(readdirSync(join(home, "audit"))).toHaveLength(3);
  expect(pruneAudit(order).pruned).toHaveLength(2);
  expect(readdirSync(join(home, "audit"))).toHaveLength(1);
  expect(verifyAudit(home)).toMatchObject({ bad: undefined, pruned: [{ kind: "segment", count: 2 }], anchors: 3 });
  expect(verifyHome(home)).toMatchObject({ findings: [], gone: [] });
  expect(pruneAudit(order).pruned).toEqual([]);

  rmSync(join(home, "heads/audit.pruned.jsonl"));
  expect(verifyAudit(home).bad?.because).toContain("it is missing");
});

test("a segment that vanished by itself is found after a prune, and stops the next one", () => {
  const { home, order } = scene();
  pruneAudit(order);
  rmSync(join(home, "audit", readdirSync(join(home, "audit"))[0] ?? ""));
  expect(verifyAudit(home).bad?.because).toBe("an anchor names this segment, but it is missing");
  expect(() => pruneAudit(order)).toThrow("the audit log does not verify, so none of it is pruned");
  expect(verifyHome(home).gone.length + verifyHome(home).findings.length).toBeGreaterThan(0);
});

test("a segment that no anchor covers to its end stays", () => {
  const { home, order } = scene([NOW - 60 * DAY]);
  const file = join(home, "audit", readdirSync(join(home, "audit"))[0] ?? "");
  const before = verifyAudit(home).records;
  const added = chain(auditEntry("more"), before + 1, recordHash(readFileSync(file, "utf8").trim()) ?? "");
  appendFileSync(file, `${JSON.stringify(added)}\n`);
  using unanchored = openSegment(home, { now: () => 0 });
  unanchored.append(auditEntry("alone"));
  age(join(home, "audit"), NOW - 60 * DAY);
  const { pruned, kept } = pruneAudit(order);
  expect([pruned, kept.map(({ because }) => because)]).toEqual([[], ["it has records that no anchor covers"]]);
  expect([readdirSync(join(home, "audit")).length, verifyAudit(home).bad]).toEqual([2, undefined]);
});

test("a prune that was killed between its record and the removal is finished by the next one", async () => {
  const { home, order, artifact } = scene();
  const saved = [1, 2].map((number) => ({ file: artifact(number), text: readFileSync(artifact(number)) }));
  await pruneRuns(order);
  // As if it had died before it removed the second artifact, and before it emptied its trash.
  writeFiles(join(artifact(2), ".."), { "0001-bash.txt": saved[1]?.text ?? "" });
  expect(verifyHome(home)).toMatchObject({ findings: [], gone: [], pruned: [{ count: 1 }] });
  expect(readdirSync(join(home, "pruning"))).toHaveLength(2);
  emptyTrash(home);
  expect(readdirSync(join(home, "pruning"))).toEqual([]);
});
