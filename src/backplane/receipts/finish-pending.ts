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
import { dirname, join } from "node:path";
import type { Statement } from "../../contract/seal.ts";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { syncFolder } from "../../lib/sync-folder.ts";
import { UserError } from "../../lib/user-error.ts";
import { type ChainHead, writeHead } from "./chain-head.ts";
import { openSeal } from "./dsse.ts";
import { sha256Hex } from "./receipt-hash.ts";
import type { SealKey } from "./seal-key.ts";
import { sealedHash } from "./seal-receipt.ts";
import { receiptFileName, type StorePlaces } from "./store-places.ts";

/**
 * Adds the pending seal to the chain after `head`, and gives the new head. Whoever dies in here leaves a state from which
 * the next caller does the same again. Without a pending seal there is nothing to do.
 */
export function finishPending(places: StorePlaces, key: SealKey, head: ChainHead | undefined): ChainHead | undefined {
  if (!existsSync(places.pending)) {
    rmSync(places.stagedReceipt, { force: true });
    return head;
  }
  const line = readFileSync(places.pending, "utf8");
  const done = head !== undefined && head.hash === sha256Hex(line);
  const next = done ? head : addLine(places, line, { key, head });
  rmSync(places.pending);
  rmSync(places.stagedReceipt, { force: true });
  return next;
}

interface Before {
  readonly key: SealKey;
  readonly head: ChainHead | undefined;
}

function addLine(places: StorePlaces, line: string, { key, head }: Before): ChainHead {
  const opened = openSeal(line, key);
  if (!opened.good || !follows(opened.statement, head)) throw notOurs(places);
  placeReceipt(places, opened.statement);
  const start = head?.bytes ?? 0;
  const chain = openSync(places.chain, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600);
  try {
    // Half a line of one who died here before.
    ftruncateSync(chain, start);
    writeFileSync(chain, `${line}\n`);
    fsyncSync(chain);
  } finally {
    closeSync(chain);
  }
  syncFolder(places.folder);
  const next: ChainHead = {
    count: (head?.count ?? 0) + 1,
    hash: sha256Hex(line),
    last: start,
    bytes: start + Buffer.byteLength(line) + 1,
  };
  atomicWrite(places.head, writeHead(next, key));
  syncFolder(dirname(places.head));
  return next;
}

function follows({ predicate }: Statement, head: ChainHead | undefined): boolean {
  return predicate.sequence === (head?.count ?? 0) + 1 && predicate.previous === (head?.hash ?? null);
}

/** Moves the staged receipt to its name, unless that was done before. */
function placeReceipt(places: StorePlaces, statement: Statement): void {
  const file = join(places.folder, receiptFileName(statement.predicate.run_id));
  const from = existsSync(places.stagedReceipt) ? places.stagedReceipt : file;
  if (!existsSync(from) || sha256Hex(readFileSync(from)) !== sealedHash(statement)) throw notOurs(places);
  if (from !== file) renameSync(from, file);
}

function notOurs(places: StorePlaces): UserError {
  return new UserError("a receipt that was being stored does not fit its seal or the chain", {
    where: places.pending,
    fix: "look at it, then move it away",
    exitCode: 1,
  });
}
