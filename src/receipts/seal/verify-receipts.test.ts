import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../lib/json/sha256.ts";
import { expect, test } from "vitest";
import { auditEntry } from "../../../test/support/prune-scene.ts";
import { sampleFacts, sampleReceipt } from "../../../test/support/sample-receipt.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openSegment } from "../../guard/audit/write-audit.ts";
import { storeReceipt } from "./store-receipt.ts";
import { reportOfRun, verifyHome } from "./verify-receipts.ts";

const RUN = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";

/** A home with the receipts of two runs, each with an artifact and its part of the audit log. */
function home() {
  const folder = tempFolder();
  const files = [RUN, OTHER].map((run) => {
    const artifacts = join(folder, "artifacts", run);
    mkdirSync(artifacts, { recursive: true });
    writeFileSync(join(artifacts, "a.txt"), "kept");
    using segment = openSegment(folder, { now: () => 0 });
    segment.append(auditEntry(run));
    storeReceipt(folder, {
      receipt: sampleReceipt({}, run),
      facts: sampleFacts({
        artifacts_folder: artifacts,
        artifacts: [{ path: "a.txt", sha256: sha256("kept"), size: 4 }],
        audit_head: { segment: segment.name, ...segment.head() },
      }),
      now: () => new Date(0),
    });
    return { artifact: join(artifacts, "a.txt"), audit: segment.file };
  });
  const [own, other] = files;
  if (own === undefined || other === undefined) throw new Error("two runs were stored");
  return { folder, own, other };
}

const reasonsIn = (folder: string) => {
  const { findings, gone } = verifyHome(folder);
  return { findings: findings.map(({ because }) => because), gone: gone.map(({ because }) => because) };
};

test("artifacts and audit records that are as they were sealed are good", () => {
  expect(reasonsIn(home().folder)).toEqual({ findings: [], gone: [] });
});

test("what is gone and what was changed are told apart", () => {
  const { folder, own, other } = home();
  rmSync(own.artifact);
  writeFileSync(other.artifact, "changed");
  expect(reasonsIn(folder)).toEqual({
    findings: [`the artifact was changed (run ${OTHER})`],
    gone: [`the artifact is missing (run ${RUN})`],
  });
});

test("a record of the audit log that is missing or is not the sealed one is told", () => {
  const { folder, own, other } = home();
  writeFileSync(other.audit, readFileSync(other.audit, "utf8").replace("Bash", "Read"));
  expect(reasonsIn(folder).findings).toContain(`record 1 does not match the seal (run ${OTHER})`);
  rmSync(own.audit);
  expect(reasonsIn(folder).gone).toEqual([`the run's part of the audit log is missing (run ${RUN})`]);
});

test("the report of one run leaves out what is wrong with others, and lists it apart", () => {
  const { folder, own, other } = home();
  writeFileSync(own.artifact, "changed");
  rmSync(other.artifact);
  const report = verifyHome(folder);
  const of = (run: string) => {
    const { findings, gone, others } = reportOfRun(report, run);
    return [findings, gone, others].map((list) => list.map((finding) => finding.run));
  };
  expect([of(RUN), of(OTHER)]).toEqual([
    [[RUN], [], [OTHER]],
    [[], [OTHER], [RUN]],
  ]);
});
