import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  type KeptItem,
  prunableNames,
  type PrunedItem,
  type PruneOrder,
  type PruneReport,
} from "../../lib/files/prune.ts";
import { appendTombstones, type ChainedItem, readTombstones, type Tombstone } from "../../lib/files/tombstones.ts";
import { type Anchor, anchorPlaces, PRUNED_SEGMENTS, readAnchorKey } from "./anchor-files.ts";
import { type AuditFlaw, readAnchors } from "./read-anchors.ts";

/** Removes old segments of a log that verifies, if an anchor covers them to their end. */
export function pruneSegments(order: PruneOrder & { readonly now: number }): PruneReport {
  const { home, before, dryRun, now } = order;
  const folder = join(home, "audit");
  const { names, kept } = prunableNames(folder);
  if (names.length === 0) return { pruned: [], kept };
  const old = oldSegments(home, before).filter(({ segment }) => names.includes(segment));
  const covered = old.filter(({ anchors, file }) => lineCount(file) === lastCount(anchors));
  const already = prunedSegments(home);
  const items = covered.map(({ anchors, file }) => ({ ...segmentTombstone(anchors), bytes: statSync(file).size }));
  if (!dryRun) {
    recordPrunedSegments(
      home,
      items.filter((item) => already.prunedAt(item) === undefined),
      now,
    );
    for (const { file } of covered) rmSync(file, { force: true });
  }
  const open = old.filter((each) => !covered.includes(each)).map(({ segment }) => partlyCovered(segment));
  return { pruned: covered.map((each, index) => pruned(each, items[index])), kept: [...kept, ...open] };
}

const pruned = ({ segment, used }: OldSegment, item: Tombstone | undefined): PrunedItem => ({
  what: `audit segment ${segment}`,
  used,
  bytes: item?.bytes ?? 0,
});

const partlyCovered = (segment: string): KeptItem => ({
  what: `audit segment ${segment}`,
  because: "it has records that no anchor covers",
});

interface OldSegment {
  readonly segment: string;
  readonly file: string;
  readonly anchors: readonly Anchor[];
  readonly used: number;
}

/**
 * Anchors are in the order in which they were written. A clock that was set back cannot make a segment older than one
 * that was anchored before it.
 */
function oldSegments(home: string, before: number): readonly OldSegment[] {
  let newest = -Infinity;
  const used = new Map<string, number>();
  const { anchors } = readAnchors(home);
  for (const { segment, time } of anchors) {
    const at = Date.parse(time);
    newest = Math.max(newest, Number.isNaN(at) ? Infinity : at);
    used.set(segment, newest);
  }
  return [...Map.groupBy(anchors, ({ segment }) => segment)].flatMap(([segment, own]) => {
    const file = join(home, "audit", segment);
    const stat = statSync(file, { throwIfNoEntry: false });
    const at = Math.max(used.get(segment) ?? Infinity, stat?.mtimeMs ?? Infinity);
    return at < before ? [{ segment, file, anchors: own, used: at }] : [];
  });
}

const lineCount = (file: string) => readFileSync(file, "utf8").split("\n").length - 1;

const lastCount = (anchors: readonly Anchor[]) => Math.max(...anchors.map(({ count }) => count));

const LIST = "audit segments";

interface PrunedSegments {
  /** When a segment was pruned, or undefined if no valid record says so. */
  readonly prunedAt: (segment: ChainedItem) => string | undefined;
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
export function segmentTombstone(anchors: readonly Anchor[]): ChainedItem {
  const last = anchors.toSorted((one, other) => one.count - other.count).at(-1);
  return { kind: "segment", name: last?.segment ?? "", hash: last?.hash ?? "" };
}

/** Records that segments are about to be removed. */
function recordPrunedSegments(home: string, items: readonly Tombstone[], now: number): void {
  const key = readAnchorKey(home);
  if (typeof key !== "object") throw new Error("there is no key to record the prune with");
  appendTombstones(anchorPlaces(home).pruned, { items, now }, { list: LIST, key });
}
