import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { sha256 } from "../../lib/json/sha256.ts";
import * as z from "zod";
import { Count, Sha256 } from "../../contract/value.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { isSigned, signatureOf } from "../../lib/files/signed-chain.ts";
import { canonicalJson } from "../../lib/json/json-value.ts";
import { isInsideSession } from "../../lib/process/inside-session.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { type ChainHead, readChainHead, storePlaces, type StorePlaces } from "./chain.ts";
import { openSeal, type SealKey, type VerifyKey } from "./seal.ts";

/** Where the seal of a run is in the chain. */
export interface IndexedSeal {
  readonly run: string;
  readonly start: number;
  /** In bytes, without the line feed. */
  readonly length: number;
}

/**
 * Where every seal of the chain is, oldest first. Undefined when the chain does not match its head; then only reading
 * all of it tells what is there. An index that is missing, behind, damaged or not signed by us is built anew. It only
 * says where to look: what is found there must still be verified.
 */
export function readIndex(home: string, key: SealKey): readonly IndexedSeal[] | undefined {
  const places = storePlaces(home);
  const head = headOf(places, key);
  if (head === undefined || statSync(places.chain, { throwIfNoEntry: false })?.size !== head.bytes) return undefined;
  const known = storedIndex(places, key, head) ?? NOTHING;
  if (known.bytes === head.bytes) return known.seals;
  const added = sealsAfter(places, known, head, key);
  if (added === undefined) return undefined;
  const index = { bytes: head.bytes, hash: head.hash, seals: [...known.seals, ...added] };
  storeIndex(places, index, key);
  return index.seals;
}

/** The line of a seal, as the index says. May be anything if the index or the chain was changed. */
export function readSealLine(home: string, { start, length }: IndexedSeal): string {
  return readRange(storePlaces(home).chain, start, length).toString("utf8");
}

/** The seals in the first `bytes` bytes of the chain, of which the last one has this hash. */
interface Index {
  readonly bytes: number;
  readonly hash: string | null;
  readonly seals: readonly IndexedSeal[];
}

const NOTHING: Index = { bytes: 0, hash: null, seals: [] };

function headOf(places: StorePlaces, key: VerifyKey): ChainHead | undefined {
  try {
    return readChainHead(readFileSync(places.head, "utf8"), key);
  } catch {
    return undefined;
  }
}

const Top = z.strictObject({ version: z.literal(1), bytes: Count, hash: Sha256, signature: z.string() });

/** The index on disk, if we signed it and the chain still has the line that it ends with. */
function storedIndex(places: StorePlaces, key: VerifyKey, head: ChainHead): Index | undefined {
  try {
    const text = readFileSync(places.index, "utf8");
    const end = text.indexOf("\n");
    const { bytes, hash, signature } = Top.parse(parseJson(text.slice(0, end)));
    const body = text.slice(end + 1);
    if (!isSigned(PURPOSE, { bytes, hash, body: sha256(body) }, signature, key.publicKey)) return undefined;
    const seals = body.split("\n").slice(0, -1).map(entryIn);
    const last = seals.at(-1);
    if (last === undefined || last.start + last.length + 1 !== bytes || bytes > head.bytes) return undefined;
    return sha256(readRange(places.chain, last.start, last.length)) === hash ? { bytes, hash, seals } : undefined;
  } catch {
    // Missing or damaged, so it is built anew.
    return undefined;
  }
}

function entryIn(line: string): IndexedSeal {
  const [run = "", start, length] = line.split(" ");
  return { run, start: Number(start), length: Number(length) };
}

const PURPOSE = "signalbox receipts index ";

/** The seals after what the index knows, each verified. Undefined if one is not ours, or they do not end at the head. */
function sealsAfter(
  places: StorePlaces,
  known: Index,
  head: ChainHead,
  key: VerifyKey,
): readonly IndexedSeal[] | undefined {
  const lines = readRange(places.chain, known.bytes, head.bytes - known.bytes)
    .toString("utf8")
    .split("\n")
    .slice(0, -1);
  const seals: IndexedSeal[] = [];
  let start = known.bytes;
  for (const line of lines) {
    const opened = openSeal(line, key);
    if (!opened.good) return undefined;
    const length = Buffer.byteLength(line);
    seals.push({ run: opened.statement.predicate.run_id, start, length });
    start += length + 1;
  }
  const isWhole = start === head.bytes && known.seals.length + seals.length === head.count;
  return isWhole && sha256(lines.at(-1) ?? "") === head.hash ? seals : undefined;
}

function storeIndex(places: StorePlaces, { bytes, hash, seals }: Index, key: SealKey): void {
  // A verb that looks writes nothing in a session.
  if (isInsideSession(process.env)) return;
  const body = seals.map(({ run, start, length }) => `${run} ${start} ${length}\n`).join("");
  const signature = signatureOf(PURPOSE, { bytes, hash, body: sha256(body) }, key.privateKey);
  try {
    atomicWrite(places.index, `${canonicalJson({ version: 1, bytes, hash, signature })}\n${body}`);
  } catch {
    // A home that cannot be written can still be read; the next look takes as long as this one.
  }
}

function readRange(path: string, start: number, length: number): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, start));
  } finally {
    closeSync(file);
  }
}
