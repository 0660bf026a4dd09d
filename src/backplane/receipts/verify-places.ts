import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { SealPredicate, Statement } from "../../contract/seal.ts";
import { recordHash } from "../../guard/audit/verify-audit.ts";
import { hashFile } from "../../lib/hash-file.ts";
import { isInside } from "../../lib/inside.ts";
import { messageOf } from "../../lib/message-of.ts";
import type { Finding } from "./verify-store.ts";

/** Something outside the store that a seal vouches for and that is not as it was. */
export interface PlaceFinding extends Required<Finding> {
  /** It is not there at all: removed, perhaps rightly. */
  readonly gone: boolean;
}

/** Checks what a seal names outside the store: the artifacts of its run, and the record of the audit log that it ends with. */
export function verifyPlaces({ predicate }: Statement, home: string): readonly PlaceFinding[] {
  return [
    ...predicate.artifacts.flatMap((artifact) => artifactFinding(artifact, predicate)),
    ...verifyAuditHead(predicate, home),
  ];
}

function artifactFinding(artifact: SealPredicate["artifacts"][number], predicate: SealPredicate): PlaceFinding[] {
  const folder = resolve(predicate.artifacts_folder ?? "/");
  const file = resolve(folder, artifact.path);
  const { run_id: run } = predicate;
  const finding = (because: string, gone = false) => [{ place: file, because: `${because} (run ${run})`, run, gone }];
  if (predicate.artifacts_folder === null || !isInside(file, folder))
    return finding("the artifact lies outside its folder");
  if (!existsSync(file)) return finding("the artifact is gone", true);
  try {
    return hashFile(file) === artifact.sha256 ? [] : finding("the artifact was changed");
  } catch (error) {
    return finding(`the artifact cannot be read: ${messageOf(error)}`);
  }
}

/** Checks the record of the audit log that a run ended with. */
export function verifyAuditHead({ audit_head: head, run_id: run }: SealPredicate, home: string): PlaceFinding[] {
  if (head === null || head.count === 0) return [];
  const place = `audit/${basename(head.segment)}`;
  const finding = (because: string, gone = false) => [{ place, because: `${because} (run ${run})`, run, gone }];
  const file = join(home, place);
  if (!existsSync(file)) return finding("the part of the audit log that belongs to the run is gone", true);
  const line = readFileSync(file, "utf8").split("\n")[head.count - 1];
  return recordHash(line) === head.hash ? [] : finding(`record ${head.count} is not the one that was sealed`);
}
