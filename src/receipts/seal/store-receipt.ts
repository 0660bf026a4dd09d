import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../../lib/json/sha256.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { CONTRACT_VERSION, NO_USAGE, type Outcome, Receipt } from "../../contract/receipt.ts";
import type { SealFacts } from "../../contract/seal.ts";
import type { RedactOptions } from "../../guard/redact.ts";
import { atomicWrite, syncFolder } from "../../lib/files/atomic-write.ts";
import { folderNames } from "../../lib/files/folder-tree.ts";
import { withLock } from "../../lib/files/lock.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { diskError, errorCode, EXIT, UserError } from "../../lib/text/user-error.ts";
import { canonicalReceipt, finalReceipt } from "./canonical-receipt.ts";
import {
  CHAIN,
  type ChainHead,
  finishPending,
  MAX_RECEIPT_BYTES,
  newerChainHead,
  readChainHead,
  receiptFileName,
  type StorePlaces,
  storePlaces,
} from "./chain.ts";
import { readSealKey, sealKey, sealReceipt, type VerifyKey } from "./seal.ts";
import type { StoreView } from "./verify-store.ts";

interface ReceiptToStore {
  /** As returned by `finalReceipt`. */
  readonly receipt: Receipt;
  readonly facts: SealFacts;
  /** The commit that the work ended on, if it made one. */
  readonly commit?: string | undefined;
  readonly now: () => Date;
}

interface StoredReceipt {
  readonly hash: string;
  readonly sequence: number;
  /** The file with the canonical bytes. */
  readonly file: string;
}

/**
 * Seals a receipt and adds it to this machine's chain. Safe when many runs end at once and when this process dies at
 * any point. Refuses a second receipt for the same run, and a store that does not match its signed head.
 */
export function storeReceipt(home: string, { receipt, facts, commit, now }: ReceiptToStore): StoredReceipt {
  const places = storePlaces(home);
  const key = sealKey(home);
  const text = canonicalReceipt(receipt);
  const hash = sha256(text);
  if (Buffer.byteLength(text) > MAX_RECEIPT_BYTES) throw tooLarge(receipt.meta.run_id);
  const file = join(places.folder, receiptFileName(receipt.meta.run_id));
  return withStore(places, () => {
    const head = finishPending(places, key, currentHead(places, key));
    checkEnd(places, head);
    if (existsSync(file)) throw secondReceipt(file);
    const place = { sequence: (head?.count ?? 0) + 1, previous: head?.hash ?? null, sealedAt: now().toISOString() };
    const line = sealReceipt({ receipt, hash, facts, commit, place }, key);
    atomicWrite(places.stagedReceipt, text);
    atomicWrite(places.pending, line);
    syncFolder(dirname(places.pending));
    finishPending(places, key, head);
    return { hash, sequence: place.sequence, file };
  });
}

/** Checks before any work is done that a receipt can be stored. Throws if the store does not match its signed head. */
export function readyStore(home: string): void {
  const places = storePlaces(home);
  const key = sealKey(home);
  withStore(places, () => checkEnd(places, finishPending(places, key, currentHead(places, key))));
}

/** Whether a run has a receipt. First finishes storing one that a dead process left pending. */
export function hasReceipt(home: string, run: string): boolean {
  const places = storePlaces(home);
  if (!existsSync(places.folder)) return false;
  return withStore(places, () => {
    finishLeft(places, home);
    return existsSync(join(places.folder, receiptFileName(run)));
  });
}

/** A consistent view of the store, read under its lock. First finishes what a dead process left half done. */
export function snapshotStore(home: string): StoreView {
  const places = storePlaces(home);
  if (!existsSync(places.folder)) return readStore(home);
  return withStore(places, () => {
    finishLeft(places, home);
    return readStore(home);
  });
}

function finishLeft(places: StorePlaces, home: string): void {
  const key = existsSync(places.pending) ? readSealKey(home) : undefined;
  if (key !== undefined) finishPending(places, key, currentHead(places, key));
}

function withStore<Result>(places: StorePlaces, work: () => Result): Result {
  try {
    for (const folder of [places.folder, dirname(places.head)]) makeFolder(folder);
    return withLock(places.lock, work);
  } catch (cause) {
    const full = diskError(cause, places.folder);
    if (full !== undefined) throw full;
    if (!["EACCES", "EPERM"].includes(errorCode(cause) ?? "")) throw cause;
    throw new UserError(`cannot store the receipt (${errorCode(cause)})`, {
      where: places.folder,
      fix: "make it writable",
      exitCode: EXIT.failed,
      cause,
    });
  }
}

function currentHead(places: StorePlaces, key: VerifyKey): ChainHead | undefined {
  if (!existsSync(places.head)) return undefined;
  const text = readFileSync(places.head, "utf8");
  const newer = newerChainHead(text);
  if (newer !== undefined)
    throw new UserError(`the receipts were ${newer}`, {
      where: places.head,
      fix: "update signalbox",
      exitCode: EXIT.failed,
    });
  const head = readChainHead(text, key);
  if (head === undefined) throw brokenStore(places);
  return head;
}

/** The chain must end where its head says. A seal added to a broken chain would hide the break. */
function checkEnd(places: StorePlaces, head: ChainHead | undefined): void {
  const bytes = statSync(places.chain, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes !== (head?.bytes ?? 0)) throw brokenStore(places);
  if (head !== undefined && sha256(lastLine(places.chain, head)) !== head.hash) throw brokenStore(places);
}

function lastLine(chain: string, { last, bytes }: ChainHead): Buffer {
  const file = openSync(chain, "r");
  try {
    const line = Buffer.alloc(bytes - last - 1);
    readSync(file, line, 0, line.length, last);
    return line;
  } finally {
    closeSync(file);
  }
}

function brokenStore(places: StorePlaces): UserError {
  return new UserError("the stored receipts do not match their signed head", {
    where: places.folder,
    fix: `see why: signalbox receipt verify. To start a new chain, move ${places.folder} and ${places.head} away`,
    exitCode: EXIT.failed,
  });
}

function secondReceipt(file: string): UserError {
  return new UserError("this run already has a receipt", {
    where: file,
    fix: "give every run its own id",
    exitCode: EXIT.failed,
  });
}

function tooLarge(run: string): UserError {
  return new UserError(`the receipt is larger than ${MAX_RECEIPT_BYTES} bytes`, {
    where: run,
    fix: "split the task",
    exitCode: EXIT.failed,
  });
}

/** The store's content under `home`. Receipts are read on demand. */
export function readStore(home: string): StoreView {
  const places = storePlaces(home);
  const names = folderNames(places.folder);
  return {
    chain: names.includes(CHAIN) ? readFileSync(places.chain) : undefined,
    head: existsSync(places.head) ? readFileSync(places.head) : undefined,
    names: names.filter((name) => name !== CHAIN),
    read: (name) => readIfThere(join(places.folder, name)),
  };
}

/** The bytes of a run's receipt; undefined if there is no such file. */
export const readReceiptBytes = (home: string, run: string) =>
  readIfThere(join(storePlaces(home).folder, receiptFileName(run)));

function readIfThere(path: string): Buffer | undefined {
  try {
    return readBounded(path, MAX_RECEIPT_BYTES).bytes;
  } catch {
    // Missing or not a file. Verification reports it.
    return undefined;
  }
}

/** What happened in work that consisted of several steps. */
interface WorkSummary {
  readonly runId: string;
  /** The run that this one continues; its receipt has the same work order. */
  readonly workId: string;
  readonly agent: string;
  readonly version: string;
  /** The program that did the work instead of us. Its commands were not judged. */
  readonly engine?: { readonly name: string; readonly version: string; readonly sha256: string };
  readonly startedAt: string;
  readonly durationMs: number;
  readonly trace: readonly AgentEvent[];
  readonly outcome: Outcome;
  readonly because: string;
  readonly guard: Pick<SealFacts["guard"], "decisions" | "policy_sha256">;
  readonly containment: SealFacts["containment"];
  readonly auditHead: SealFacts["audit_head"];
  /** What else is known, such as checks and what changed. */
  readonly facts?: Partial<SealFacts>;
  /** The commit that the work ended on, if it made one. */
  readonly commit?: string | undefined;
  readonly receipt?: Partial<Pick<Receipt, "backend" | "usage" | "usage_raw" | "verification">>;
  /** What else the last event says. */
  readonly end?: Readonly<Record<string, unknown>>;
}

/** Stores a sealed receipt for such work. Returns its hash. */
export function sealSummary(home: string, summary: WorkSummary, secrets: RedactOptions): string {
  const { runId, workId, version, startedAt, durationMs, outcome, because } = summary;
  const end = newEvent({
    type: "run_completed",
    message: `run completed: ${outcome}`,
    ext: { because, ...summary.end },
  });
  const receipt = finalReceipt(
    Receipt.parse({
      meta: {
        run_id: runId,
        work_order_id: workId,
        contract_version: CONTRACT_VERSION,
        started_at: startedAt,
        finished_at: new Date(Date.parse(startedAt) + durationMs).toISOString(),
        duration_ms: durationMs,
      },
      backend: { id: summary.agent, backend_version: version, adapter_version: null },
      capabilities: {},
      mode: "mapped",
      usage_raw: null,
      usage: NO_USAGE,
      trace: [...summary.trace, end],
      artifacts: [],
      verification: { git_diff: null, git_status: null, harness_ok: outcome === "complete" },
      outcome,
      receipt_sha256: null,
      ...summary.receipt,
    }),
    secrets,
  );
  return storeReceipt(home, { receipt, facts: factsOf(summary), commit: summary.commit, now: () => new Date() }).hash;
}

function factsOf({ agent, version, engine, guard, outcome, containment, auditHead, facts }: WorkSummary): SealFacts {
  return {
    agent: {
      name: engine?.name ?? agent,
      version: engine?.version ?? version,
      binary_sha256: engine?.sha256 ?? null,
    },
    guard: { version, ...guard, held: engine === undefined, calls_not_held: [] },
    stopped: outcome === "complete" ? "answered" : "failed",
    claimed: outcome === "complete",
    verified: "not_checked",
    acceptance: [],
    tree: null,
    artifacts_folder: null,
    artifacts: [],
    proof: null,
    ...(containment === undefined ? {} : { containment }),
    audit_head: auditHead,
    ...facts,
  };
}
