import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Receipt } from "../../contract/receipt.ts";
import { parseExactJson } from "../../lib/exact-json.ts";
import { receiptHash } from "../receipts/receipt-hash.ts";
import { receiptFileName, storePlaces } from "../receipts/store-places.ts";
import type { Artifact } from "./artifacts.ts";
import { openArtifacts } from "./artifacts.ts";
import { closeFinished, NOT_CHECKED, unknownHost } from "./finish-run.ts";
import { cleanRun, closeRun, isClean, type KnownRun, knownRuns, readRunLog } from "./run-log.ts";
import { runLife, withRunLock } from "./run-lock.ts";
import type { LogLine, RunClosed } from "./run-record.ts";
import type { RunSetting } from "./run-parts.ts";
import { openLedger } from "./call-ledger.ts";
import { RUN_EXIT } from "../../contract/run-exit.ts";
import { hasReceipt } from "../receipts/store-receipt.ts";
import type { Conclusion } from "./conclude.ts";
import type { FinishedRun } from "./settle.ts";
import { newEvent } from "../../contract/new-event.ts";

const KILLED = "signalbox was killed before the run ended";
const BY_HAND = "closed by hand: it could not be seen whether its signalbox still lived";

/**
 * Closes every run whose process is surely gone: ends what it left running and stores a receipt of what was seen.
 * Returns the runs that were closed. Safe at any time and in any number of processes.
 */
export async function recoverRuns(setting: RunSetting): Promise<KnownRun[]> {
  const isLost = (run: KnownRun) => (run.closed === undefined || !isClean(run.folder)) && runLife(run) === "dead";
  if (!knownRuns(setting.home).some(isLost)) return [];
  return await withRunLock(setting.home, async () => {
    const lost = knownRuns(setting.home).filter(isLost);
    for (const run of lost) {
      if (run.closed === undefined) await recover(run, setting, KILLED);
      else cleanRun(run.folder);
    }
    return lost.filter(({ closed }) => closed === undefined);
  });
}

/** Closes a run that the person knows to be over. False when another process has done so. */
export async function closeByHand(id: string, setting: RunSetting): Promise<boolean> {
  return await withRunLock(setting.home, async () => {
    const run = knownRuns(setting.home).find(({ header, closed }) => header.run_id === id && closed === undefined);
    if (run !== undefined) await recover(run, setting, BY_HAND);
    return run !== undefined;
  });
}

async function recover(run: KnownRun, setting: RunSetting, because: string): Promise<void> {
  const { header, folder } = run;
  await setting.processes.endRun(header.run_id);
  const lines = readRunLog(folder);
  const conclusion: Conclusion = {
    outcome: "failed",
    stopped: "interrupted",
    claimed: false,
    exitCode: RUN_EXIT.interrupted,
    because,
  };
  const closed = { outcome: conclusion.outcome, exit_code: conclusion.exitCode, because, applied_at: null };
  if (hasReceipt(setting.home, header.run_id)) {
    closeRun(folder, closedBy(storedReceipt(setting.home, header.run_id)));
    return;
  }
  const error = newEvent({ type: "error", message: because, error_code: "backend_crashed" });
  const finished = replay(run, lines);
  const { end } = await closeFinished(
    { ...finished, trace: [...finished.trace, error] },
    { ...setting, verdict: NOT_CHECKED, conclusion, keep: () => {} },
  );
  const { receipt } = end;
  closeRun(folder, { ...closed, finished_at: receipt.meta.finished_at, receipt_sha256: receipt.receipt_sha256 ?? "" });
}

function storedReceipt(home: string, runId: string): Receipt {
  const text = readFileSync(join(storePlaces(home).folder, receiptFileName(runId)), "utf8");
  return Receipt.parse(parseExactJson(text));
}

/** How a run ended, from the last event of its receipt. */
function closedBy(receipt: Receipt): RunClosed {
  const { outcome, meta, trace } = receipt;
  const { exit_code: code, because } = trace.at(-1)?.ext ?? {};
  return {
    outcome,
    exit_code: typeof code === "number" ? code : RUN_EXIT.failed,
    because: typeof because === "string" ? because : outcome,
    finished_at: meta.finished_at,
    receipt_sha256: receiptHash(receipt),
    applied_at: null,
  };
}

/** A run as its log tells it. */
function replay({ header, folder }: KnownRun, lines: readonly LogLine[]): FinishedRun {
  const ledger = openLedger();
  const written: Artifact[] = [];
  let policyHash: string | null = null;
  for (const line of lines) {
    if (line.t === "decision") ledger.decided(line.call, line.tool, line.verdict);
    if (line.t === "artifact") written.push({ kind: line.kind, path: line.path, size: line.size, sha256: line.sha256 });
    if (line.t === "event") ledger.see(line.event);
    if (line.t === "policy") policyHash = line.policy_sha256;
  }
  const trace = lines.flatMap((line) => (line.t === "event" ? [line.event] : []));
  const store = openArtifacts(header.root, header.run_id);
  const write = (kind: string, name: string, content: string | Buffer) => {
    const artifact = store.write(kind, name, content);
    written.push(artifact);
    return artifact;
  };
  const last = Date.parse(trace.at(-1)?.ts ?? header.started_at);
  const host = lines.find((line) => line.t === "host") ?? unknownHost(header.agent);
  return {
    header,
    folder,
    durationMs: Math.max(0, last - Date.parse(header.started_at)),
    ...host,
    trace,
    end: undefined,
    guard: { ...ledger.tally(host.holds), policyHash },
    auditHead: null,
    artifacts: { written, write },
    workspace: lines.find((line) => line.t === "workspace"),
    store: undefined,
  };
}
