import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { ExactReceipt } from "../../contract/receipt.ts";
import type { SealPredicate, Statement } from "../../contract/seal.ts";
import { flawPlace, prunedLookup, recordHash, verifyAudit } from "../../guard/audit/verify-audit.ts";
import { canonicalJson } from "../../lib/json/json-value.ts";
import { byDay, type PrunedOnDay } from "../../lib/files/tombstones.ts";
import { hashFile } from "../../lib/files/hash-file.ts";
import { isInside } from "../../lib/path/inside.ts";
import { isUserError, messageOf } from "../../lib/text/user-error.ts";
import { receiptHash } from "./canonical-receipt.ts";
import { artifactTombstone, readPruned, type ReceiptFinding, type StoreView, verifyStore } from "./verify-store.ts";
import { ExportedReceipt, readJsonFile, readReceipt, refuseNewerExport } from "./find-receipt.ts";
import { openSeal, publicPem, readSealKey, readVerifyKey, sealedHash, sealKey } from "./seal.ts";
import { readStore, snapshotStore } from "./store-receipt.ts";

export interface HomeReport {
  readonly seals: readonly Statement[];
  readonly bytes: number;
  readonly findings: readonly ReceiptFinding[];
  /** Artifacts and parts of the audit log that no longer exist. */
  readonly gone: readonly ReceiptFinding[];
  /** What `signalbox prune` removed, by day. */
  readonly pruned: readonly PrunedOnDay[];
}

/** Verifies all receipts on this machine: the store, chain, head, artifacts, and the audit log they refer to. */
export function verifyHome(home: string): HomeReport {
  const { view, unfinished } = snapshot(home);
  const key = readSealKey(home);
  if (key === undefined)
    return { seals: [], bytes: 0, findings: [...unfinished, ...keyFinding(view)], gone: [], pruned: [] };
  const { seals, bytes, findings } = verifyStore(view, key);
  const isPruned = prunedLookup(home);
  const places = seals.flatMap((statement) => verifyPlaces(statement, home, isPruned));
  // Read last: a prune records what it removes before it does.
  const records = readPruned(home, key);
  const pruned: { date: string; kind: string }[] = [];
  const isLost = ({ missing }: ReceiptFinding) => {
    const date = missing === undefined ? undefined : records.prunedAt(missing);
    if (missing !== undefined && date !== undefined) pruned.push({ date, kind: missing.kind });
    return date === undefined;
  };
  const outside = (gone: boolean) => places.filter((found) => found.gone === gone && isLost(found)).map(plain);
  return {
    seals,
    bytes,
    findings: [
      ...unfinished,
      ...findings.filter(isLost).map(plain),
      ...outside(false),
      ...auditFinding(home, seals),
      ...records.findings,
    ],
    gone: outside(true),
    pruned: byDay(pruned),
  };
}

interface RunReport extends HomeReport {
  /** Findings that concern only other runs. */
  readonly others: readonly ReceiptFinding[];
}

/** The part of a report that concerns one run, including the chain and log it depends on. */
export function reportOfRun(report: HomeReport, run: string): RunReport {
  const isOther = (finding: ReceiptFinding) => finding.run !== undefined && finding.run !== run;
  return {
    ...report,
    findings: report.findings.filter((finding) => !isOther(finding)),
    gone: report.gone.filter((finding) => !isOther(finding)),
    others: [...report.findings, ...report.gone].filter(isOther),
  };
}

/** True if every call of the run passed the guard before it ran. */
export function isGuarded({ guard }: SealPredicate): boolean {
  return guard.held && guard.calls_not_held.length === 0 && guard.policy_sha256 !== null;
}

const plain = ({ place, because, run }: ReceiptFinding): ReceiptFinding => ({
  place,
  because,
  ...(run === undefined ? {} : { run }),
});

/** Takes a snapshot of the store. If the store cannot be locked or completed, reads it as it is. */
function snapshot(home: string): { readonly view: StoreView; readonly unfinished: readonly ReceiptFinding[] } {
  try {
    return { view: snapshotStore(home), unfinished: [] };
  } catch (error) {
    if (!isUserError(error)) throw error;
    return { view: readStore(home), unfinished: [{ place: error.where ?? home, because: error.message }] };
  }
}

function keyFinding({ chain, head, names }: StoreView): ReceiptFinding[] {
  if (chain === undefined && head === undefined && names.length === 0) return [];
  return [{ place: "keys/seal.pem", because: "the key is missing, so no seal can be verified" }];
}

/** Verifies the whole log if any seal refers to it. */
function auditFinding(home: string, seals: readonly Statement[]): ReceiptFinding[] {
  if (seals.every(({ predicate }) => predicate.audit_head === null)) return [];
  const { bad } = verifyAudit(home);
  return bad === undefined ? [] : [{ place: flawPlace(bad), because: bad.because }];
}

/** Something outside the store that a seal covers and that has changed. */
interface PlaceFinding extends ReceiptFinding {
  /** The file no longer exists. It may have been removed legitimately. */
  readonly gone: boolean;
}

/** Checks what a seal covers outside the store: the run's artifacts and its last audit record. */
const verifyPlaces = (
  { predicate }: Statement,
  home: string,
  isPruned: ReturnType<typeof prunedLookup>,
): readonly PlaceFinding[] => [
  ...predicate.artifacts.flatMap((artifact) => artifactFinding(artifact, predicate)),
  ...verifyAuditHead(predicate, home, isPruned),
];

function artifactFinding(artifact: SealPredicate["artifacts"][number], predicate: SealPredicate): PlaceFinding[] {
  const folder = resolve(predicate.artifacts_folder ?? "/");
  const file = resolve(folder, artifact.path);
  const { run_id: run } = predicate;
  const finding = (because: string, gone = false) => [
    {
      place: file,
      because: `${because} (run ${run})`,
      run,
      gone,
      ...(gone ? { missing: artifactTombstone(run, artifact) } : {}),
    },
  ];
  if (predicate.artifacts_folder === null || !isInside(file, folder))
    return finding("the artifact is outside its folder");
  if (!existsSync(file)) return finding("the artifact is missing", true);
  try {
    return hashFile(file) === artifact.sha256 ? [] : finding("the artifact was changed");
  } catch (error) {
    return finding(`the artifact cannot be read: ${messageOf(error)}`);
  }
}

/** Checks the last audit record of a run. A pruned segment is in order: `verifyAudit` has checked its anchor. */
export function verifyAuditHead(
  { audit_head: head, run_id: run }: SealPredicate,
  home: string,
  isPruned: ReturnType<typeof prunedLookup>,
): PlaceFinding[] {
  if (head === null || head.count === 0) return [];
  const place = `audit/${basename(head.segment)}`;
  const finding = (because: string, gone = false) => [{ place, because: `${because} (run ${run})`, run, gone }];
  const file = join(home, place);
  if (!existsSync(file) && isPruned(head)) return [];
  if (!existsSync(file)) return finding("the run's part of the audit log is missing", true);
  const line = readFileSync(file, "utf8").split("\n")[head.count - 1];
  return recordHash(line) === head.hash ? [] : finding(`record ${head.count} does not match the seal`);
}

interface FileReport {
  readonly receipt: ExactReceipt;
  readonly hash: string;
  /** Undefined for a receipt without a seal. */
  readonly statement: Statement | undefined;
  readonly findings: readonly string[];
  /** The key used to check the seal; undefined if this machine has none. */
  readonly keyId: string | undefined;
}

/**
 * Verifies a file: an exported receipt by its seal, or a bare receipt by its own hash. Uses this machine's key unless
 * `keyFile` is given.
 */
export function verifyFile(path: string, home: string, keyFile: string | undefined): FileReport {
  const key = keyFile === undefined ? readSealKey(home) : readVerifyKey(keyFile);
  const value = readJsonFile(path);
  refuseNewerExport(value, path);
  const exported = ExportedReceipt.safeParse(value);
  const receipt = readReceipt(exported.success ? exported.data.receipt : value, path);
  const hash = receiptHash(receipt);
  const findings: string[] = [];
  if (receipt.receipt_sha256 === null) findings.push("the receipt does not state its hash");
  else if (receipt.receipt_sha256 !== hash) findings.push(`the receipt was changed: its hash is ${hash}`);
  const bare = { receipt, hash, statement: undefined, keyId: key?.id };
  if (!exported.success) return { ...bare, findings };
  if (key === undefined) return { ...bare, findings: [...findings, "no key to verify its seal with"] };

  const opened = openSeal(canonicalJson(exported.data.seal), key);
  if (!opened.good) return { ...bare, findings: [...findings, `the seal: ${opened.because}`] };
  if (sealedHash(opened.statement) !== hash) findings.push("the seal is for another receipt");
  return { receipt, hash, statement: opened.statement, findings, keyId: key.id };
}

/** The public key for verifying our seals, created on first use. */
export function publicKey(home: string): { readonly id: string; readonly pem: string } {
  const key = sealKey(home);
  return { id: key.id, pem: publicPem(key) };
}
