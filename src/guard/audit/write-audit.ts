import { closeSync, fdatasyncSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { appendWhole } from "../../lib/append-whole.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { randomId } from "../../lib/random-id.ts";
import type { Anchor } from "./anchor-line.ts";
import type { AuditEntry } from "../../contract/audit-entry.ts";
import { chain, NO_RECORD } from "./record.ts";

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
