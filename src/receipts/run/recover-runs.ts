import { readFileSync } from "node:fs";
import { join } from "node:path";
import { newEvent } from "../../contract/agent-event.ts";
import { Receipt } from "../../contract/receipt.ts";
import { RUN_EXIT } from "../../contract/run-exit.ts";
import type { Acceptance } from "../../contract/seal.ts";
import { parseExactJson } from "../../lib/json/exact-json.ts";
import { NOT_CHECKED } from "../acceptance/accept-work.ts";
import { receiptHash } from "../seal/canonical-receipt.ts";
import { receiptFileName, storePlaces } from "../seal/chain.ts";
import { hasReceipt, readyStore } from "../seal/store-receipt.ts";
import { type Artifact, openArtifacts } from "../workspace/artifacts.ts";
import { buildReceipt, type DecidedOutcome, type EndedRun, sealRun, unknownHost } from "./build-receipt.ts";
import { type KnownRun, knownRuns, runLife, withRunLock } from "./known-runs.ts";
import { callKey, openLedger } from "./order-guard.ts";
import { cleanRun, isClean, type LogLine, readRunLog, type StoredEnd, writeRunEnd } from "./run-log.ts";
import type { RunSetting } from "./run-setup.ts";
import { openTraceCalls } from "./trace-calls.ts";

const KILLED = "signalbox was killed before the run ended";
const BY_HAND = "closed by hand: could not tell whether its signalbox was still running";

/**
 * Closes every run whose process is known to be dead: ends the processes it left behind and stores a receipt of what
 * was recorded. Returns those runs. Safe to call at any time, from any number of processes.
 */
export async function recoverRuns(setting: RunSetting): Promise<KnownRun[]> {
  const isLost = (run: KnownRun) => (run.end === undefined || !isClean(run.folder)) && runLife(run) === "dead";
  if (!knownRuns(setting.home).some(isLost)) return [];
  return await withRunLock(setting.home, async () => {
    const lost = knownRuns(setting.home).filter(isLost);
    for (const run of lost) {
      if (run.end === undefined) await recover(run, setting, KILLED);
      else cleanRun(run.folder);
    }
    return lost.filter(({ end }) => end === undefined);
  });
}

/** Checks that a receipt can be stored, and closes lost runs like `recoverRuns`. */
export async function readyForRuns(setting: RunSetting): Promise<KnownRun[]> {
  readyStore(setting.home);
  return await recoverRuns(setting);
}

/** Closes a run that the user knows is over. Returns false if another process has already closed it. */
export async function endByHand(id: string, setting: RunSetting): Promise<boolean> {
  return await withRunLock(setting.home, async () => {
    const run = knownRuns(setting.home).find(({ header, end }) => header.run_id === id && end === undefined);
    if (run !== undefined) await recover(run, setting, BY_HAND);
    return run !== undefined;
  });
}

async function recover(run: KnownRun, setting: RunSetting, because: string): Promise<void> {
  const { header, folder } = run;
  await setting.processes.endRun(header.run_id);
  const lines = readRunLog(folder);
  if (hasReceipt(setting.home, header.run_id)) {
    writeRunEnd(folder, endOf(storedReceipt(setting.home, header.run_id)));
    return;
  }
  const decided: DecidedOutcome = {
    outcome: "failed",
    stopped: "interrupted",
    claimed: false,
    exitCode: RUN_EXIT.interrupted,
    because,
  };
  const error = newEvent({ type: "error", message: because, error_code: "backend_crashed" });
  const ended = replay(run, lines);
  const checked = { ...NOT_CHECKED, acceptance: attemptsIn(lines) };
  const built = await buildReceipt({ ...ended, trace: [...ended.trace, error] }, checked, decided, setting);
  writeRunEnd(folder, sealRun(built, setting.home).end);
}

const attemptsIn = (lines: readonly LogLine[]): readonly Acceptance[] =>
  lines
    .filter((line) => line.t === "checked")
    .flatMap(({ acceptance }, index) => acceptance.map((attempt) => ({ ...attempt, round: index + 1 })));

function storedReceipt(home: string, runId: string): Receipt {
  const text = readFileSync(join(storePlaces(home).folder, receiptFileName(runId)), "utf8");
  return Receipt.parse(parseExactJson(text));
}

/** How a run ended, from the last event of its receipt. */
function endOf(receipt: Receipt): StoredEnd {
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

/** Rebuilds a run from its log. */
function replay({ header, folder }: KnownRun, lines: readonly LogLine[]): EndedRun {
  const ledger = openLedger();
  const calls = openTraceCalls();
  const written: Artifact[] = [];
  let policyHash: string | null = null;
  for (const line of lines) {
    if (line.t === "decision") ledger.decided(line.call, line.tool, line.verdict);
    if (line.t === "artifact") written.push({ kind: line.kind, path: line.path, size: line.size, sha256: line.sha256 });
    if (line.t === "judged") ledger.answered(callKey(line), line.tool, line.verdict);
    if (line.t === "judged") calls.judged(line, line);
    if (line.t === "event") ledger.see(line.event);
    // The log has what this adds, unless the process was killed before.
    if (line.t === "event") calls.see(line.event);
    if (line.t === "policy") policyHash = line.policy_sha256;
  }
  const unreported = calls.finish();
  unreported.forEach((event) => ledger.see(event));
  const trace = [...lines.flatMap((line) => (line.t === "event" ? [line.event] : [])), ...unreported];
  const store = openArtifacts(header.root, header.run_id, (artifact) => written.push(artifact));
  const last = Date.parse(trace.at(-1)?.ts ?? header.started_at);
  const host = lines.find((line) => line.t === "host") ?? unknownHost(header.agent);
  return {
    header,
    folder,
    durationMs: Math.max(0, last - Date.parse(header.started_at)),
    ...host,
    trace,
    end: undefined,
    guard: { ...ledger.counts(host.holds), policyHash },
    auditHead: null,
    artifacts: { written, write: (...artifact) => store.write(...artifact) },
    workspace: lines.find((line) => line.t === "workspace"),
  };
}
