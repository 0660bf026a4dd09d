import type { Statement } from "../../contract/seal.ts";
import { sha256Hex } from "./canonical-receipt.ts";
import type { VerifyKey } from "./seal-key.ts";
import { openSeal, sealedHash } from "./seal.ts";
import { CHAIN, type ChainHead, readChainHead, receiptFileName } from "./chain.ts";

/** What lies in a store, as bytes. Reading is left to the caller. */
export interface StoreView {
  readonly chain: Buffer | undefined;
  readonly head: Buffer | undefined;
  /** Everything else in the folder of receipts. */
  readonly names: readonly string[];
  readonly read: (name: string) => Buffer | undefined;
}

/** Something that is not as it was written. */
export interface ReceiptFinding {
  /** The file, and in the chain the number of the seal. */
  readonly place: string;
  readonly because: string;
  /** The one run that it is about. Without it: the chain, its head or the log, which every run hangs on. */
  readonly run?: string;
}

export interface StoreReport {
  readonly seals: readonly Statement[];
  /** Bytes of receipts that were hashed. */
  readonly bytes: number;
  readonly findings: readonly ReceiptFinding[];
}

/** Checks every byte of a store: signatures, the chain, its head, and the hash of every receipt. Names all that is wrong. */
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
    if (content === undefined) findings.push({ place: name, because: "the receipt is missing or unreadable", run });
    else if (sha256Hex(content) !== sealedHash(statement))
      findings.push({ place: name, because: "the receipt was changed: its hash does not match the seal", run });
  }
  const sealed = new Set(walk.seals.map(({ predicate }) => receiptFileName(predicate.run_id)));
  for (const name of view.names)
    if (!sealed.has(name))
      findings.push({ place: name, because: "no valid seal covers this file", run: name.replace(/\.json$/, "") });
  return { seals: walk.seals, bytes, findings };
}

const seal = (number: number) => `${CHAIN}, seal ${number}`;

interface Lines {
  readonly lines: readonly Buffer[];
  /** What follows the last line feed was not empty. */
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

/** Follows the chain. After a break it goes on from what it finds, so that one break is one finding. */
function walkChain(lines: readonly Buffer[], key: VerifyKey) {
  const findings: ReceiptFinding[] = [];
  const seals: Statement[] = [];
  let expected = 1;
  let previous: string | null | undefined = null;
  for (const [index, line] of lines.entries()) {
    const place = seal(index + 1);
    const text = line.toString("utf8");
    const opened = openSeal(text, key);
    // Decoding replaces bytes that are no UTF-8, so the text can be good while the bytes are not.
    if (!opened.good || !Buffer.from(text).equals(line)) {
      findings.push({ place, because: opened.good ? "it is not text" : opened.because });
      previous = undefined;
      expected++;
      continue;
    }
    const { sequence, previous: named } = opened.statement.predicate;
    if (sequence !== expected) findings.push({ place, because: outOfOrder(sequence, expected) });
    else if (previous !== undefined && named !== previous)
      findings.push({ place, because: "it does not follow the seal before it" });
    seals.push(opened.statement);
    previous = sha256Hex(line);
    expected = sequence + 1;
  }
  return { findings, seals };
}

function outOfOrder(sequence: number, expected: number): string {
  if (sequence < expected) return `seal ${sequence} is in the place of seal ${expected}: it was moved or repeated`;
  const missing = sequence - 1 === expected ? `seal ${expected} is` : `seals ${expected} to ${sequence - 1} are`;
  return `${missing} missing before seal ${sequence}`;
}

function headFindings(view: StoreView, { lines, cut }: Lines, key: VerifyKey): readonly ReceiptFinding[] {
  const place = "heads/receipts.json";
  const empty = lines.length === 0 && !cut && view.names.length === 0;
  if (view.head === undefined) return empty ? [] : [{ place, because: "the signed head of the chain is missing" }];
  const text = view.head.toString("utf8");
  const head = Buffer.from(text).equals(view.head) ? readChainHead(text, key) : undefined;
  if (head === undefined) return [{ place, because: "the head was changed: its signature does not match" }];
  const because = unlikeHead(head, lines);
  return because === undefined ? [] : [{ place: seal(Math.min(head.count, lines.length + 1)), because }];
}

function unlikeHead(head: ChainHead, lines: readonly Buffer[]): string | undefined {
  if (lines.length < head.count) return `the head counts ${head.count} seals, but there are ${lines.length}`;
  if (lines.length > head.count) return `the head counts ${head.count} seals, but there are ${lines.length}`;
  const last = lines.at(-1);
  return last === undefined || sha256Hex(last) === head.hash ? undefined : "it is not the one named by the head";
}
