import { appendTombstones, readTombstones, type Tombstone } from "../../lib/tombstones.ts";
import { readAnchorKey } from "./anchor-key.ts";
import type { Anchor } from "./anchor-line.ts";
import { anchorPlaces, PRUNED_SEGMENTS } from "./anchor-places.ts";
import type { AuditFlaw } from "./read-anchors.ts";

const LIST = "audit segments";

interface PrunedSegments {
  /** When a segment was pruned, or undefined if no valid record says so. */
  readonly prunedAt: (segment: Omit<Tombstone, "bytes">) => string | undefined;
  readonly flaw: AuditFlaw | undefined;
}

/** The signed records of pruned segments. */
export function prunedSegments(home: string): PrunedSegments {
  const key = readAnchorKey(home);
  if (typeof key !== "object") return { prunedAt: () => undefined, flaw: undefined };
  const { prunedAt, flaw } = readTombstones(anchorPlaces(home).pruned, { list: LIST, key });
  return { prunedAt, flaw: flaw === undefined ? undefined : { file: `heads/${PRUNED_SEGMENTS}`, ...flaw } };
}

/** A segment is named by its last anchored record. */
export function segmentTombstone(anchors: readonly Anchor[]): Omit<Tombstone, "bytes"> {
  const last = anchors.toSorted((one, other) => one.count - other.count).at(-1);
  return { kind: "segment", name: last?.segment ?? "", hash: last?.hash ?? "" };
}

/** Records that segments are about to be removed. */
export function recordPrunedSegments(home: string, items: readonly Tombstone[], now: number): void {
  const key = readAnchorKey(home);
  if (typeof key !== "object") throw new Error("there is no key to record the prune with");
  appendTombstones(anchorPlaces(home).pruned, { items, now }, { list: LIST, key });
}
