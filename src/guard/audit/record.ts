import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { AuditEntry } from "../../contract/audit-entry.ts";

/** A chained entry: each record contains the hash of the previous one. */
export interface AuditRecord extends AuditEntry {
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
