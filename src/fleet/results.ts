import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { makeFolder } from "../lib/files/make-folder.ts";
import { folderNames } from "../lib/files/folder-tree.ts";
import { isInside } from "../lib/path/inside.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { verifyFile } from "../receipts/seal/verify-receipts.ts";
import { type FleetReceipt, readReceipt, type TrustedKey, trustedKeys } from "./documents.ts";
import type { AcceptedReceipt, Fleet } from "./port.ts";

/** Where the results of orders are that this user has pulled. */
export const resultsFolder = (home: string) => join(home, "fleet", "results");

export type Verified =
  | { readonly good: true; readonly receipt: FleetReceipt; readonly signer: TrustedKey }
  | { readonly good: false; readonly because: string };

/** Whether an accepted receipt is what a trusted worker signed for this order. */
export function verifyReceipt(accepted: AcceptedReceipt, keys: readonly TrustedKey[]): Verified {
  const read = readReceipt(accepted.document, keys);
  if (!read.good) return read;
  if (read.body.order !== accepted.id) return { good: false, because: "it is for another order" };
  return { good: true, receipt: read.body, signer: read.key };
}

/** What `pullResult` did. */
export type Pulled = { readonly folder: string; readonly isNew: boolean } | { readonly because: string };

interface PullSetup {
  readonly fleet: Fleet;
  readonly home: string;
}

/**
 * Fetches the receipt, the patch and the artifacts of an order, and verifies each of them: the run's seal by the key of the
 * worker, and every file by its digest. Nothing stays of a result that does not verify.
 */
export async function pullResult(
  { receipt, signer }: Extract<Verified, { good: true }>,
  document: string,
  { fleet, home }: PullSetup,
): Promise<Pulled> {
  const folder = join(resultsFolder(home), receipt.order);
  if (existsSync(join(folder, RECEIPT))) return { folder, isNew: false };
  makeFolder(resultsFolder(home));
  const incoming = mkdtempSync(join(resultsFolder(home), "incoming-"));
  try {
    await fetchAll(receipt, fleet, incoming);
    const finding = receipt.receipt === null ? undefined : verifyRun(receipt, signer, incoming, home);
    if (finding !== undefined) return { because: finding };
    writeFileSync(join(incoming, RECEIPT), document);
    rmSync(folder, { recursive: true, force: true });
    renameSync(incoming, folder);
    return { folder, isNew: true };
  } catch (error) {
    return { because: messageOf(error) };
  } finally {
    rmSync(incoming, { recursive: true, force: true });
  }
}

async function fetchAll({ receipt, patch, artifacts }: FleetReceipt, fleet: Fleet, folder: string): Promise<void> {
  if (receipt !== null) await fleet.getBlob(receipt, join(folder, "receipt.json"));
  if (patch !== null) await fleet.getBlob(patch, join(folder, "changes.patch"));
  for (const { path, blob } of artifacts) {
    const file = artifactFile(join(folder, "artifacts"), path);
    makeFolder(dirname(file));
    if (existsSync(file)) throw new Error(`the artifact ${JSON.stringify(path)} was sent twice`);
    await fleet.getBlob(blob, file);
  }
}

/** Where an artifact is stored. Throws for a path that leads elsewhere. */
function artifactFile(folder: string, path: string): string {
  const file = resolve(folder, path);
  const parts = path.split("/");
  const isPlain =
    !/[\\\0]/.test(path) && parts.every((part) => part !== "" && part !== "." && part !== ".." && part !== ".git");
  if (isPlain && isInside(file, folder)) return file;
  throw new Error(`the artifact path ${JSON.stringify(path)} leads out of the folder of the result`);
}

/** Undefined if the run's own receipt is sealed by the same worker, for this order and these artifacts. */
function verifyRun(receipt: FleetReceipt, signer: TrustedKey, folder: string, home: string): string | undefined {
  const { statement, findings } = verifyFile(join(folder, "receipt.json"), home, signer.file);
  const [finding] = findings;
  if (finding !== undefined) return finding;
  if (statement === undefined) return "the run's receipt has no seal";
  const { run_id: run, work_order_id: order, artifacts } = statement.predicate;
  if (order !== receipt.order || run !== receipt.run) return "the run's receipt is for another order";
  const sealed = new Map(artifacts.map(({ path, sha256 }) => [path, sha256]));
  const other = receipt.artifacts.find(({ path, blob }) => sealed.get(path) !== blob.sha256);
  return other === undefined ? undefined : `the artifact ${JSON.stringify(other.path)} is not the one that was sealed`;
}

/** The receipts of the results that were pulled, as they were signed. They were verified before they were stored. */
export function pulledReceipts(home: string): readonly FleetReceipt[] {
  const files = folderNames(resultsFolder(home)).map((name) => join(resultsFolder(home), name, RECEIPT));
  const keys = files.length === 0 ? [] : trustedKeys(home);
  return files.filter(existsSync).flatMap((file) => {
    const read = readReceipt(readFileSync(file, "utf8"), keys);
    return read.good ? [read.body] : [];
  });
}

const RECEIPT = "fleet-receipt.json";
