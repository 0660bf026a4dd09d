import { sha256 } from "../../lib/json/sha256.ts";
import type { SealPredicate, Statement } from "../../contract/seal.ts";
import { appendTombstones, type ChainedItem, readTombstones, type Tombstone } from "../../lib/files/tombstones.ts";
import { missingNumbers } from "../../lib/files/signed-chain.ts";
import { withUpdate } from "../../lib/json/file-format.ts";
import {
  CHAIN,
  type ChainHead,
  newerChainHead,
  PRUNED_RECEIPTS,
  readChainHead,
  receiptFileName,
  storePlaces,
} from "./chain.ts";
import { openSeal, sealedHash, type SealKey, type VerifyKey } from "./seal.ts";

/** A store's content as bytes. The caller does the reading. */
export interface StoreView {
  readonly chain: Buffer | undefined;
  readonly head: Buffer | undefined;
  /** All other files in the receipts folder. */
  readonly names: readonly string[];
  readonly read: (name: string) => Buffer | undefined;
}

/** Something that is not as it was written. */
export interface ReceiptFinding {
  /** The file, plus the seal's number for the chain. */
  readonly place: string;
  readonly because: string;
  /** The only run this concerns. Undefined for the chain, its head, or the log, which all runs depend on. */
  readonly run?: string;
  /** What a record of a prune would have to name for this to be in order. */
  readonly missing?: ChainedItem;
}

interface StoreReport {
  readonly seals: readonly Statement[];
  /** The number of receipt bytes hashed. */
  readonly bytes: number;
  readonly findings: readonly ReceiptFinding[];
}

/**
 * Verifies every byte of a store: signatures, the chain, its head, and each receipt's hash. Reports everything wrong.
 */
export function verifyStore(view: StoreView, key: VerifyKey): StoreReport {
  const { lines, cut } = splitLines(view.chain ?? Buffer.alloc(0));
  const walk = walkChain(lines, key);
  const findings = [...walk.findings];
  if (cut) findings.push({ place: seal(lines.length + 1), because: "the last seal is truncated" });
  findings.push(...headFindings(view, { lines, cut }, key));

  let bytes = 0;
  for (const statement of walk.seals) {
    const { run_id: run } = statement.predicate;
    const name = receiptFileName(run);
    const content = view.read(name);
    bytes += content?.length ?? 0;
    if (content === undefined)
      findings.push({
        place: name,
        because: "the receipt is missing or unreadable",
        run,
        ...(view.names.includes(name) ? {} : { missing: receiptTombstone(statement) }),
      });
    else if (sha256(content) !== sealedHash(statement))
      findings.push({ place: name, because: "the receipt was changed: its hash does not match the seal", run });
  }
  const sealed = new Set(walk.seals.map(({ predicate }) => receiptFileName(predicate.run_id)));
  for (const name of view.names)
    if (!sealed.has(name))
      findings.push({ place: name, because: "no valid seal covers this file", run: name.replace(/\.json$/, "") });
  return { seals: walk.seals, bytes, findings };
}

/** How a record of a prune names a receipt. */
export const receiptTombstone = (statement: Statement): ChainedItem => ({
  kind: "receipt",
  name: statement.predicate.run_id,
  hash: sealedHash(statement) ?? "",
});

const seal = (number: number) => `${CHAIN}, seal ${number}`;

interface Lines {
  readonly lines: readonly Buffer[];
  /** True if there is text after the last line feed. */
  readonly cut: boolean;
}

function splitLines(chain: Buffer): Lines {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = chain.indexOf(10); end !== -1; end = chain.indexOf(10, start)) {
    lines.push(chain.subarray(start, end));
    start = end + 1;
  }
  return { lines, cut: start < chain.length };
}

/** Walks the chain. After a break, continues from what it finds, so that one break is one finding. */
function walkChain(lines: readonly Buffer[], key: VerifyKey) {
  const findings: ReceiptFinding[] = [];
  const seals: Statement[] = [];
  let expected = 1;
  let previous: string | null | undefined = null;
  for (const [index, line] of lines.entries()) {
    const place = seal(index + 1);
    const text = line.toString("utf8");
    const opened = openSeal(text, key);
    // Decoding replaces invalid UTF-8, so the text can be valid when the bytes are not.
    if (!opened.good || !Buffer.from(text).equals(line)) {
      findings.push({ place, because: opened.good ? "it is not valid UTF-8" : opened.because });
      previous = undefined;
      expected++;
      continue;
    }
    const { sequence, previous: statedPrevious } = opened.statement.predicate;
    if (sequence !== expected) findings.push({ place, because: outOfOrder(sequence, expected) });
    else if (previous !== undefined && statedPrevious !== previous)
      findings.push({ place, because: "it does not follow the seal before it" });
    seals.push(opened.statement);
    previous = sha256(line);
    expected = sequence + 1;
  }
  return { findings, seals };
}

function outOfOrder(sequence: number, expected: number): string {
  if (sequence < expected) return `seal ${sequence} is where seal ${expected} should be: it was moved or repeated`;
  return `${missingNumbers("seal", expected, sequence - 1)} before seal ${sequence}`;
}

function headFindings(view: StoreView, { lines, cut }: Lines, key: VerifyKey): readonly ReceiptFinding[] {
  const place = "heads/receipts.json";
  const empty = lines.length === 0 && !cut && view.names.length === 0;
  if (view.head === undefined) return empty ? [] : [{ place, because: "the signed head of the chain is missing" }];
  const text = view.head.toString("utf8");
  const newer = newerChainHead(text);
  if (newer !== undefined) return [{ place, because: withUpdate(newer) }];
  const head = Buffer.from(text).equals(view.head) ? readChainHead(text, key) : undefined;
  if (head === undefined) return [{ place, because: "the head was changed: its signature does not match" }];
  const because = unlikeHead(head, lines);
  return because === undefined ? [] : [{ place: seal(Math.min(head.count, lines.length + 1)), because }];
}

function unlikeHead(head: ChainHead, lines: readonly Buffer[]): string | undefined {
  if (lines.length < head.count) return `the head counts ${head.count} seals, but there are ${lines.length}`;
  if (lines.length > head.count) return `the head counts ${head.count} seals, but there are ${lines.length}`;
  const last = lines.at(-1);
  return last === undefined || sha256(last) === head.hash ? undefined : "it does not match the hash in the head";
}

const LIST = "receipts and artifacts";

/** The signed records of pruned receipts and artifacts. */
export function readPruned(home: string, key: VerifyKey) {
  const { prunedAt, flaw } = readTombstones(storePlaces(home).pruned, { list: LIST, key: key.publicKey });
  const place = `heads/${PRUNED_RECEIPTS}, line ${flaw?.line}`;
  const findings: readonly ReceiptFinding[] = flaw === undefined ? [] : [{ place, because: flaw.because }];
  return { prunedAt, findings };
}

/** How a record of a prune names an artifact. */
export const artifactTombstone = (run: string, { path, sha256 }: SealPredicate["artifacts"][number]): ChainedItem => ({
  kind: "artifact",
  name: `${run} ${path}`,
  hash: sha256,
});

/** Records what is about to be removed, leaving out what an interrupted prune has recorded already. */
export function recordPruned(home: string, key: SealKey, items: readonly Tombstone[]): void {
  const { prunedAt } = readPruned(home, key);
  const added = items.filter((item) => prunedAt(item) === undefined);
  appendTombstones(storePlaces(home).pruned, { items: added, now: Date.now() }, { list: LIST, key: key.privateKey });
}
