import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../src/lib/json/sha256.ts";
import { storeReceipt } from "../../src/receipts/seal/store-receipt.ts";
import type { AuditEntry } from "../../src/contract/verdict.ts";
import { appendAnchor } from "../../src/guard/audit/anchor.ts";
import { openSegment } from "../../src/guard/audit/write-audit.ts";
import { sampleFacts, sampleReceipt } from "./sample-receipt.ts";

export const DAY = 86_400_000;

/** Makes a file, or a folder with everything in it, as old as a time. */
export function age(path: string, time: number): void {
  for (const name of readdirSync(path, { recursive: true, encoding: "utf8" }).toReversed())
    utimesSync(join(path, name), time / 1000, time / 1000);
  utimesSync(path, time / 1000, time / 1000);
}

export const runId = (number: number) => `${String(number).padStart(8, "0")}-0000-4000-8000-000000000000`;

export const auditEntry = (session: string): AuditEntry => ({
  time: "2026-01-01T00:00:00.000Z",
  session,
  agent: "mock",
  tool: "Bash",
  call: "{}",
  cwd: "/w",
  effects: [],
  verdict: "allow",
  code: "rule-allow",
  rules: [],
  policy: "p",
});

/** A run that ended at a time, with a receipt, an artifact in the workspace, and its part of the audit log. */
export function addRun(home: string, workspace: string, { number, time }: { number: number; time: number }): string {
  const run = runId(number);
  const at = new Date(time).toISOString();
  const content = `output of ${number}\n`;
  const folder = join(workspace, ".agent-backplane/artifacts", run);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "0001-bash.txt"), content);
  const segment = openSegment(home, { now: () => time, anchor: appendAnchor });
  segment.append(auditEntry(run));
  const { hash } = storeReceipt(home, {
    receipt: sampleReceipt({}, run),
    facts: sampleFacts({
      artifacts_folder: workspace,
      artifacts: [
        {
          path: `.agent-backplane/artifacts/${run}/0001-bash.txt`,
          sha256: sha256(content),
          size: Buffer.byteLength(content),
        },
      ],
      audit_head: { segment: segment.name, ...segment.head() },
    }),
    now: () => new Date(time),
  });
  segment[Symbol.dispose]();
  const own = join(home, "runs", run);
  mkdirSync(own, { recursive: true });
  const header = { version: 1, run_id: run, work_order_id: run, task: "t", agent: "mock", mode: "pass_through" };
  const owner = { pid: 1, started: "1" };
  writeFileSync(join(own, "run.json"), JSON.stringify({ ...header, root: workspace, started_at: at, owner }));
  const end = { version: 1, outcome: "complete", exit_code: 0, because: "done", finished_at: at };
  writeFileSync(join(own, "closed.json"), JSON.stringify({ ...end, receipt_sha256: hash, applied_at: null }));
  age(own, time);
  for (const path of [join(home, "receipts", `${run}.json`), segment.file]) utimesSync(path, time / 1000, time / 1000);
  return run;
}
