import { dirname, join } from "node:path";
import * as z from "zod";
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { sha256 } from "../../lib/json/sha256.ts";
import type { Statement } from "../../contract/seal.ts";
import { Count, Sha256 } from "../../contract/value.ts";
import { atomicWrite, syncFolder } from "../../lib/files/atomic-write.ts";
import { readSignedLine, signedLine } from "../../lib/files/signed-chain.ts";
import { canonicalJson, isRecord } from "../../lib/json/json-value.ts";
import { newerFormat } from "../../lib/json/file-format.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { openSeal, sealedHash, type SealKey, type VerifyKey } from "./seal.ts";

/**
 * The paths of the receipt store under signalbox's home. Seals cover every byte in `folder`; the other files are
 * outside it.
 */
export function storePlaces(home: string) {
  return {
    folder: join(home, "receipts"),
    /** One seal per line. */
    chain: join(home, "receipts", CHAIN),
    head: join(home, "heads", "receipts.json"),
    /** Where each seal is in the chain. Can be built anew at any time. */
    index: join(home, "heads", "receipts.index"),
    /** The receipt and seal being added. If this process dies, the next one finishes the job. */
    stagedReceipt: join(home, "heads", "receipts.staged"),
    pending: join(home, "heads", "receipts.pending"),
    lock: join(home, "locks", "receipts.sqlite"),
    /** Which receipts and artifacts were removed by `signalbox prune`. */
    pruned: join(home, "heads", PRUNED_RECEIPTS),
  };
}
export type StorePlaces = ReturnType<typeof storePlaces>;

export const CHAIN = "chain.jsonl";
export const PRUNED_RECEIPTS = "receipts.pruned.jsonl";

/** The file with a receipt's canonical bytes. Its SHA-256 is the receipt's hash. */
export const receiptFileName = (run: string) => `${run}.json`;

/** The maximum size of a receipt and of its file. */
export const MAX_RECEIPT_BYTES = 256 * 1024 * 1024;

/**
 * The signed end of the chain, stored outside it. A chain that is shorter than its head was truncated.
 * `hash` is the hash of the last line, which starts at byte `last` and ends at byte `bytes`.
 */
export const ChainHead = z.strictObject({
  /** Missing in heads of early releases. */
  version: z.literal(1).optional(),
  count: Count,
  hash: Sha256,
  last: Count,
  bytes: Count,
});
export type ChainHead = z.infer<typeof ChainHead>;

const HEAD = "signalbox receipts head ";

/** Says that a newer signalbox wrote the head in `text`, or undefined. */
export function newerChainHead(text: string): string | undefined {
  try {
    return newerFormat(parseJson(text));
  } catch {
    return undefined;
  }
}

/** Reads the head in `text`. Returns undefined if a single bit differs from what we wrote. */
export function readChainHead(text: string, key: VerifyKey): ChainHead | undefined {
  const head = ChainHead.safeParse(readSignedLine(HEAD, text, key.publicKey)).data;
  return head !== undefined && isAsWritten(text) ? head : undefined;
}

/** The bits that base64 leaves unused, and all that is not in a canonical line, must be as we write them. */
function isAsWritten(text: string): boolean {
  const value = parseJson(text);
  const signature = Buffer.from(isRecord(value) ? String(value["signature"]) : "", "base64").toString("base64");
  return isRecord(value) && `${canonicalJson({ ...value, signature })}\n` === text;
}

/**
 * Adds the pending seal to the chain after `head` and returns the new head. Does nothing if no seal is pending. If the
 * process dies in here, the next caller repeats the same steps.
 */
export function finishPending(places: StorePlaces, key: SealKey, head: ChainHead | undefined): ChainHead | undefined {
  if (!existsSync(places.pending)) {
    rmSync(places.stagedReceipt, { force: true });
    return head;
  }
  const line = readFileSync(places.pending, "utf8");
  const done = head !== undefined && head.hash === sha256(line);
  const next = done ? head : addLine(places, line, key, head);
  rmSync(places.pending);
  rmSync(places.stagedReceipt, { force: true });
  return next;
}

function addLine(places: StorePlaces, line: string, key: SealKey, head: ChainHead | undefined): ChainHead {
  const opened = openSeal(line, key);
  if (!opened.good || !follows(opened.statement, head)) throw notOurs(places);
  placeReceipt(places, opened.statement);
  const start = head?.bytes ?? 0;
  const chain = openSync(places.chain, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600);
  try {
    // Drops a partial line from a process that died here.
    ftruncateSync(chain, start);
    writeFileSync(chain, `${line}\n`);
    fsyncSync(chain);
  } finally {
    closeSync(chain);
  }
  syncFolder(places.folder);
  const next: ChainHead = {
    version: 1,
    count: (head?.count ?? 0) + 1,
    hash: sha256(line),
    last: start,
    bytes: start + Buffer.byteLength(line) + 1,
  };
  atomicWrite(places.head, `${signedLine(HEAD, next, key.privateKey)}\n`);
  syncFolder(dirname(places.head));
  return next;
}

function follows({ predicate }: Statement, head: ChainHead | undefined): boolean {
  return predicate.sequence === (head?.count ?? 0) + 1 && predicate.previous === (head?.hash ?? null);
}

/** Moves the staged receipt to its final name, unless that has already happened. */
function placeReceipt(places: StorePlaces, statement: Statement): void {
  const file = join(places.folder, receiptFileName(statement.predicate.run_id));
  const from = existsSync(places.stagedReceipt) ? places.stagedReceipt : file;
  if (!existsSync(from) || sha256(readFileSync(from)) !== sealedHash(statement)) throw notOurs(places);
  if (from !== file) renameSync(from, file);
}

function notOurs(places: StorePlaces): UserError {
  return new UserError("a half-stored receipt does not match its seal or the chain", {
    where: places.pending,
    fix: "review it, then move it away",
    exitCode: 1,
  });
}
