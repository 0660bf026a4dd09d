import { lstatSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { newerFormat, withUpdate } from "../../lib/json/file-format.ts";
import { folderNames } from "../../lib/files/folder-tree.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import type { Anchor } from "./anchor-files.ts";
import { type AuditFlaw, readAnchors } from "./read-anchors.ts";
import type { PruneOrder, PruneReport } from "../../lib/files/prune.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { byDay, type PrunedOnDay } from "../../lib/files/tombstones.ts";
import { prunedSegments, pruneSegments, segmentTombstone } from "./prune-segments.ts";
import { hashOf, NO_RECORD } from "./write-audit.ts";

export interface AuditReport {
  readonly segments: number;
  readonly records: number;
  readonly anchors: number;
  /** The newest anchor, so that it can be noted elsewhere. */
  readonly head: { readonly count: number; readonly hash: string } | undefined;
  /** The first flaw found. */
  readonly bad: AuditFlaw | undefined;
  /** Records that no anchor covers. Truncating them would go unnoticed. */
  readonly unanchored: number;
  /** The anchors come from an older version, which did not number them. */
  readonly unchained: boolean;
  /** Segments that `signalbox prune` removed, by day. */
  readonly pruned: readonly PrunedOnDay[];
}

/** The hash that a line's record should have, computed from its content. Undefined if the line is not a record. */
export function recordHash(line: string | undefined): string | undefined {
  try {
    const record: unknown = parseJson(line ?? "");
    return isRecord(record) ? hashOf(record) : undefined;
  } catch {
    // A line that is not a record cannot be the sealed one.
    return undefined;
  }
}

/** Checks every segment under `home`: numbers, chain, hashes, and the anchors. */
export function verifyAudit(home: string): AuditReport {
  const { anchors, head, unchained, flaw } = readAnchors(home);
  const segments = listSegments(home);
  let records = 0;
  let unanchored = 0;
  const pruned: { date: string; kind: string }[] = [];
  const report = (bad: AuditReport["bad"]): AuditReport => ({
    segments: segments.length,
    records,
    anchors: anchors.length,
    head: head === undefined ? undefined : { count: head.count, hash: head.hash },
    bad,
    unanchored,
    unchained,
    pruned: byDay(pruned),
  });
  if (flaw !== undefined) return report(flaw);
  const ends = Map.groupBy(anchors, ({ segment }) => segment);
  const there = new Set(segments);
  const isMissing = ([segment]: readonly [string, unknown]) => !there.has(segment);
  const lost = lostSegments(home, [...ends].filter(isMissing), pruned);
  if (lost !== undefined) return report(lost);
  for (const segment of segments) {
    const own = ends.get(segment) ?? [];
    const text = textOf(join(home, "audit", segment));
    if (text === undefined) return report({ file: `audit/${segment}`, line: 0, because: "it is not a regular file" });
    const checked = verifySegment(text, own);
    records += checked.records;
    unanchored += checked.records - Math.max(0, ...own.map(({ count }) => count));
    if (checked.bad !== undefined) return report({ file: `audit/${segment}`, ...checked.bad });
  }
  return report(undefined);
}

/** The first segment that is missing without a record of its prune. Adds the dates of the others to `pruned`. */
function lostSegments(
  home: string,
  missing: readonly (readonly [string, readonly Anchor[]])[],
  pruned: { date: string; kind: string }[],
): AuditFlaw | undefined {
  const { prunedAt, flaw } = prunedSegments(home);
  for (const [segment, anchors] of missing) {
    const date = prunedAt(segmentTombstone(anchors));
    if (date === undefined)
      return { file: `audit/${segment}`, line: 0, because: "an anchor names this segment, but it is missing" };
    pruned.push({ date, kind: "segment" });
  }
  return flaw;
}

/** Whether the segment with this record was pruned. The log is read once, when the first one is asked about. */
export function prunedLookup(home: string): (head: { readonly segment: string; readonly count: number }) => boolean {
  let read: { readonly anchors: Map<string, Anchor[]>; readonly pruned: ReturnType<typeof prunedSegments> } | undefined;
  return ({ segment, count }) => {
    read ??= {
      anchors: Map.groupBy(readAnchors(home).anchors, (anchor) => anchor.segment),
      pruned: prunedSegments(home),
    };
    const own = read.anchors.get(basename(segment)) ?? [];
    return own.some((anchor) => anchor.count >= count) && read.pruned.prunedAt(segmentTombstone(own)) !== undefined;
  };
}

/**
 * Removes old segments that an anchor covers to their end. The anchors stay, and a signed record says which segments
 * were pruned, so the log can still be verified. A log that does not verify is left as it is.
 */
export function pruneAudit(order: PruneOrder): PruneReport {
  const { bad } = verifyAudit(order.home);
  if (bad === undefined) return pruneSegments({ ...order, now: Date.now() });
  throw new UserError(`the audit log does not verify, so none of it is pruned: ${bad.because}`, {
    where: flawPlace(bad),
    fix: "see: signalbox audit verify",
    exitCode: EXIT.failed,
  });
}

/** Undefined if it is not a regular file: a link, a folder, or a pipe that would never end. */
function textOf(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, "utf8") : undefined;
}

/** Describes where a flaw is. */
export const flawPlace = ({ file, line }: AuditFlaw) => (line === 0 ? file : `${file}, record ${line}`);

/** Names of the segments, oldest first. */
export function listSegments(folder: string): readonly string[] {
  return folderNames(join(folder, "audit"))
    .filter((name) => name.endsWith(".jsonl"))
    .toSorted();
}

interface SegmentReport {
  readonly records: number;
  readonly bad: { readonly line: number; readonly because: string } | undefined;
}

function verifySegment(text: string, anchors: readonly Anchor[]): SegmentReport {
  const lines = text.split("\n");
  const cut = lines.pop() !== "";
  let prev = NO_RECORD;
  for (const [index, line] of lines.entries()) {
    const because = objectToRecord(line, index + 1, prev);
    if (because !== undefined) return { records: index, bad: { line: index + 1, because } };
    prev = statedHash(line);
    const anchor = anchors.find(({ count }) => count === index + 1);
    if (anchor !== undefined && anchor.hash !== prev)
      return { records: index, bad: { line: index + 1, because: "it is not the anchored record" } };
  }
  if (cut) return { records: lines.length, bad: { line: lines.length + 1, because: "the last record is truncated" } };
  const most = Math.max(0, ...anchors.map(({ count }) => count));
  if (most > lines.length)
    return {
      records: lines.length,
      bad: { line: lines.length + 1, because: `${most - lines.length} anchored records are missing at the end` },
    };
  return { records: lines.length, bad: undefined };
}

function statedHash(line: string): string {
  const value: unknown = parseJson(line);
  return isRecord(value) && typeof value["hash"] === "string" ? value["hash"] : "";
}

function objectToRecord(line: string, seq: number, prev: string): string | undefined {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    return "it is not JSON";
  }
  if (!isRecord(value)) return "it is not a record";
  const newer = newerFormat(value);
  if (newer !== undefined) return withUpdate(newer);
  if (value["seq"] !== seq) return `its number is ${String(value["seq"])}, not ${seq}`;
  if (value["prev"] !== prev) return "it does not follow the record before it";
  return value["hash"] === hashOf(value) ? undefined : "it was changed: its hash does not match";
}
