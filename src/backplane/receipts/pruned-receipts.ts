import type { SealPredicate } from "../../contract/seal.ts";
import { appendTombstones, readTombstones, type Tombstone, type Tombstones } from "../../lib/tombstones.ts";
import { PRUNED_RECEIPTS, storePlaces } from "./chain.ts";
import type { SealKey, VerifyKey } from "./seal-key.ts";
import type { ReceiptFinding } from "./verify-store.ts";

const LIST = "receipts and artifacts";

interface PrunedRecords extends Pick<Tombstones, "prunedAt"> {
  readonly findings: readonly ReceiptFinding[];
}

/** The signed records of pruned receipts and artifacts. */
export function readPruned(home: string, key: VerifyKey): PrunedRecords {
  const { prunedAt, flaw } = readTombstones(storePlaces(home).pruned, { list: LIST, key: key.publicKey });
  const place = `heads/${PRUNED_RECEIPTS}, line ${flaw?.line}`;
  return { prunedAt, findings: flaw === undefined ? [] : [{ place, because: flaw.because }] };
}

/** How a record of a prune names an artifact. */
export const artifactTombstone = (
  run: string,
  { path, sha256 }: SealPredicate["artifacts"][number],
): Omit<Tombstone, "bytes"> => ({ kind: "artifact", name: `${run} ${path}`, hash: sha256 });

/** Records what is about to be removed, leaving out what an interrupted prune has recorded already. */
export function recordPruned(home: string, key: SealKey, items: readonly Tombstone[]): void {
  const { prunedAt } = readPruned(home, key);
  const added = items.filter((item) => prunedAt(item) === undefined);
  appendTombstones(storePlaces(home).pruned, { items: added, now: Date.now() }, { list: LIST, key: key.privateKey });
}
