import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { AuditEntry } from "../../contract/audit-entry.ts";

/** An entry in its place: each record names the hash of the one before it. */
export interface AuditRecord extends AuditEntry {
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
}

/** What the first record of a segment follows. */
export const NO_RECORD = "0".repeat(64);

export function chain(entry: AuditEntry, seq: number, prev: string): AuditRecord {
  const body = { ...entry, seq, prev };
  return { ...body, hash: hashOf(body) };
}

/** The hash of a record, its own hash left out. */
export function hashOf(record: object): string {
  return sha256(canonicalJson({ ...record, hash: undefined }));
}
