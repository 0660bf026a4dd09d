import { closeSync, fdatasyncSync, openSync } from "node:fs";
import { join } from "node:path";
import { appendWhole } from "../../lib/append-whole.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { randomId } from "../../lib/random-id.ts";
import type { Anchor } from "./anchor-line.ts";
import type { AuditEntry } from "../../contract/audit-entry.ts";
import { chain, NO_RECORD } from "./record.ts";

/** The log of one writing process. `append` throws when the system did not take the whole line; the caller then denies. */
export interface AuditSegment extends Disposable {
  readonly name: string;
  readonly file: string;
  append(entry: AuditEntry): void;
  /** The newest hash and how many records lead to it: what an anchor or a receipt keeps. */
  head(): { readonly hash: string; readonly count: number };
}

export interface SegmentParts {
  readonly now: () => number;
  /** Keeps the end of the segment elsewhere when it is closed. The hook process of a single call has none: it must be quick. */
  readonly anchor?: ((folder: string, anchor: Anchor) => void) | undefined;
}

/** Opens a new segment under `folder`. Two processes never share one, so they cannot mix their lines. */
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
      // An anchor must not outlive the records it stands for.
      try {
        if (anchor !== undefined && count > 0) fdatasyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      if (count > 0) anchor?.(folder, { segment: name, hash, count, time: new Date(now()).toISOString() });
    },
  };
}
