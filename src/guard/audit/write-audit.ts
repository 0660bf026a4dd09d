import { closeSync, fdatasyncSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SealFacts } from "../../contract/seal.ts";
import type { AuditEntry } from "../../contract/verdict.ts";
import { appendWhole } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { canonicalJson } from "../../lib/json/json-value.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import type { Anchor } from "./anchor-files.ts";

/** The log of one process. `append` throws if the line was not written completely; the caller then denies. */
export interface AuditSegment extends Disposable {
  readonly name: string;
  readonly file: string;
  append(entry: AuditEntry): void;
  /** The newest hash and the number of records up to it, as stored in an anchor or a receipt. */
  head(): { readonly hash: string; readonly count: number };
}

export interface SegmentParts {
  readonly now: () => number;
  /** Stores the segment's end elsewhere on close. Not used by the hook process of a single call, which must be fast. */
  readonly anchor?: ((folder: string, anchor: Anchor) => void) | undefined;
}

/** Opens a new segment under `folder`. Processes never share a segment, so their lines cannot interleave. */
export function openSegment(folder: string, { now, anchor }: SegmentParts): AuditSegment {
  const segments = join(folder, "audit");
  makeFolder(segments);
  const name = `${new Date(now()).toISOString().replace(/[:.]/g, "-")}-${process.pid}-${randomId().slice(0, 8)}.jsonl`;
  const file = join(segments, name);
  const descriptor = openSync(file, "ax", 0o600);
  let hash = NO_RECORD;
  let count = 0;
  return {
    name,
    file,
    append(entry) {
      const record = chain(entry, count + 1, hash);
      const line = Buffer.from(`${JSON.stringify(record)}\n`);
      appendWhole(descriptor, line);
      hash = record.hash;
      count++;
    },
    head: () => ({ hash, count }),
    [Symbol.dispose]() {
      // The anchor must not survive a crash that loses the records it covers.
      try {
        if (anchor !== undefined && count > 0) fdatasyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      // An empty segment says nothing, and no prune could tell whether its process is still there.
      if (count === 0) rmSync(file, { force: true });
      else anchor?.(folder, { segment: name, hash, count, time: new Date(now()).toISOString() });
    },
  };
}

/** What a receipt says of a log: how far it goes. Null while it has no record. */
export function auditHead(segment: AuditSegment): SealFacts["audit_head"] {
  const { hash, count } = segment.head();
  return count === 0 ? null : { segment: segment.name, hash, count };
}

/** A chained entry: each record contains the hash of the previous one. */
interface AuditRecord extends AuditEntry {
  /** Missing in records of early releases. */
  readonly version: number;
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
}

/** The previous hash in a segment's first record. */
export const NO_RECORD = "0".repeat(64);

export function chain(entry: AuditEntry, seq: number, prev: string): AuditRecord {
  const body = { version: 1, ...entry, seq, prev };
  return { ...body, hash: hashOf(body) };
}

/** The hash of a record, excluding its own hash field. */
export function hashOf(record: object): string {
  return sha256(canonicalJson({ ...record, hash: undefined }));
}
