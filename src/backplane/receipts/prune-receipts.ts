import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { KeptItem, PrunedItem, PruneOrder, PruneReport } from "../../lib/prune.ts";
import { hashFile } from "../../lib/hash-file.ts";
import { receiptFileName, storePlaces } from "./chain.ts";
import { listReceipts } from "./find-receipt.ts";
import { recordPruned } from "./pruned-receipts.ts";
import { readSealKey } from "./seal-key.ts";
import { sealedHash } from "./seal.ts";
import { receiptTombstone } from "./verify-store.ts";

interface ReceiptOrder extends PruneOrder {
  /** When each run was sealed. */
  readonly sealedAt: (run: string) => number;
  /** Whether the run still needs its receipt. */
  readonly isOpen: (run: string) => boolean;
}

/** Removes old receipts. Their seals stay in the chain. A receipt that is not what its seal says stays too. */
export function pruneReceipts({ home, before, dryRun, sealedAt, isOpen }: ReceiptOrder): PruneReport {
  const key = readSealKey(home);
  if (key === undefined) return { pruned: [], kept: [] };
  const kept: KeptItem[] = [];
  const old = listReceipts(home).flatMap(({ statement }) => {
    const { run_id: run } = statement.predicate;
    const file = join(storePlaces(home).folder, receiptFileName(run));
    const stat = lstatSync(file, { throwIfNoEntry: false });
    const used = Math.max(sealedAt(run), stat?.mtimeMs ?? Infinity);
    if (stat === undefined || !(used < before)) return [];
    const because = whyNot(file, sealedHash(statement), isOpen(run));
    if (because !== undefined) kept.push({ what: `receipt ${run}`, because });
    return because === undefined ? [{ run, file, statement, used, bytes: stat.size }] : [];
  });
  if (!dryRun) {
    recordPruned(
      home,
      key,
      old.map(({ statement, bytes }) => ({ ...receiptTombstone(statement), bytes })),
    );
    for (const { file } of old) rmSync(file, { force: true });
  }
  const pruned = old.map(({ run, used, bytes }): PrunedItem => ({ what: `receipt ${run}`, used, bytes }));
  return { pruned, kept };
}

function whyNot(file: string, sealed: string | undefined, isOpen: boolean): string | undefined {
  if (isOpen) return "its run is not closed yet: see signalbox runs";
  try {
    return hashFile(file) === sealed ? undefined : "it was changed: see signalbox receipt verify";
  } catch {
    return "it cannot be read";
  }
}
