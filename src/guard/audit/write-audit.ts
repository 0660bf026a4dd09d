import { closeSync, fdatasyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { appendAnchor } from "./anchor.ts";
import { type AuditEntry, chain, NO_RECORD } from "./record.ts";

/** The log of one writing process. `append` throws when a line is not wholly on its way to the disk; the caller then denies. */
export interface AuditSegment extends Disposable {
  readonly file: string;
  append(entry: AuditEntry): void;
  /** The newest hash and how many records lead to it: what an anchor or a receipt keeps. */
  head(): { readonly hash: string; readonly count: number };
}

/** Opens a new segment under `folder`. Two processes never share one, so they cannot mix their lines. */
export function openSegment(folder: string, now: () => number): AuditSegment {
  const segments = join(folder, "audit");
  mkdirSync(segments, { recursive: true, mode: 0o700 });
  const name = `${new Date(now()).toISOString().replace(/[:.]/g, "-")}-${process.pid}-${randomBytes(3).toString("hex")}.jsonl`;
  const file = join(segments, name);
  const descriptor = openSync(file, "ax", 0o600);
  let hash = NO_RECORD;
  let count = 0;
  return {
    file,
    append(entry) {
      const record = chain(entry, count + 1, hash);
      const line = Buffer.from(`${JSON.stringify(record)}\n`);
      if (writeSync(descriptor, line) !== line.length) throw new Error("the audit log took only part of a line");
      fdatasyncSync(descriptor);
      hash = record.hash;
      count++;
    },
    head: () => ({ hash, count }),
    [Symbol.dispose]() {
      closeSync(descriptor);
      if (count > 0) appendAnchor(folder, { segment: name, hash, count, time: new Date(now()).toISOString() });
    },
  };
}
