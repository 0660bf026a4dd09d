import { findReceipt, finishedReceipt, listReceipts as listSealed } from "../../receipts/seal/find-receipt.ts";
import {
  type HomeReport,
  isGuarded,
  reportOfRun,
  verifyFile,
  verifyHome,
} from "../../receipts/seal/verify-receipts.ts";
import { Receipt } from "../../contract/receipt.ts";
import type { SealPredicate } from "../../contract/seal.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";

interface Place {
  /** Signalbox's home folder. Default: the one that the environment names. */
  readonly home?: string;
}

const homeOf = ({ home }: Place) => home ?? signalboxHome();

/** A receipt with what its seal says. */
export interface SealedReceipt {
  readonly receipt: Receipt;
  readonly seal: SealPredicate;
  /** Every call of the run passed the guard before it ran. */
  readonly guarded: boolean;
}

/** What the seals of all receipts say, oldest first. */
export const listReceipts = (place: Place = {}): readonly SealPredicate[] =>
  listSealed(homeOf(place)).map(({ statement }) => statement.predicate);

/** The receipt of a run: its id, a beginning of it, or `last`. Throws when it is missing or was changed. */
export function readReceipt(run: string, place: Place = {}): SealedReceipt {
  const found = findReceipt(homeOf(place), run);
  const { predicate: seal } = found.statement;
  return { receipt: Receipt.parse(finishedReceipt(found)), seal, guarded: isGuarded(seal) };
}

/** Something that is wrong with a store of receipts. */
interface Finding {
  readonly place: string;
  readonly because: string;
}

export interface Verification {
  /** Nothing was found, and no artifact is gone. */
  readonly good: boolean;
  readonly findings: readonly Finding[];
  readonly gone: readonly Finding[];
}

/** Verifies every receipt of this machine, or one run with the chain that it belongs to. */
export function verifyReceipts({ run, ...place }: Place & { readonly run?: string } = {}): Verification {
  const home = homeOf(place);
  const whole = verifyHome(home);
  if (run === undefined) return verification(whole);
  return verification(reportOfRun(whole, findReceipt(home, run).statement.predicate.run_id));
}

const verification = ({ findings, gone }: HomeReport): Verification => ({
  good: findings.length === 0 && gone.length === 0,
  findings: findings.map(plain),
  gone: gone.map(plain),
});

const plain = ({ place, because }: Finding): Finding => ({ place, because });

/** Verifies an exported receipt by its seal, or a plain one by its own hash. */
export function verifyReceiptFile(path: string, { key, ...place }: Place & { readonly key?: string } = {}) {
  const { hash, findings, statement } = verifyFile(path, homeOf(place), key);
  return { good: findings.length === 0, hash, findings, seal: statement?.predicate };
}
