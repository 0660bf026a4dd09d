import type { Statement } from "../../contract/seal.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { openSeal } from "./dsse.ts";
import { sha256Hex } from "./receipt-hash.ts";
import { readStore } from "./read-store.ts";
import { readSealKey } from "./seal-key.ts";
import { sealedHash } from "./seal-receipt.ts";
import { receiptFileName } from "./store-places.ts";

export interface FoundReceipt {
  readonly statement: Statement;
  /** The seal as it stands in the chain. */
  readonly seal: string;
  /** The canonical text of the receipt. */
  readonly text: string;
}

interface Sealed {
  readonly statement: Statement;
  readonly seal: string;
}

/** Every receipt with a good seal, oldest first. What is wrong with the others is `verifyStore`'s to say. */
export function listReceipts(home: string): readonly Sealed[] {
  const key = readSealKey(home);
  const { chain } = readStore(home);
  if (key === undefined || chain === undefined) return [];
  return chain
    .toString("utf8")
    .split("\n")
    .flatMap((seal) => {
      const opened = openSeal(seal, key);
      return opened.good ? [{ statement: opened.statement, seal }] : [];
    });
}

/** The receipt of a run, by its id, the beginning of one that no other run shares, or `last`. Never one that was changed. */
export function findReceipt(home: string, run: string): FoundReceipt {
  const first = pickRun(listReceipts(home), run);
  const content = readStore(home).read(receiptFileName(idOf(first)));
  if (content === undefined || sha256Hex(content) !== sealedHash(first.statement))
    throw new UserError("the receipt of this run is gone or was changed", {
      where: receiptFileName(idOf(first)),
      fix: "see more with: signalbox receipt verify",
      exitCode: EXIT.failed,
    });
  return { ...first, text: content.toString("utf8") };
}

/** The sealed run that a word means: its id, the beginning of one that no other run shares, or `last`. */
export function pickRun<Entry extends Pick<Sealed, "statement">>(all: readonly Entry[], run: string): Entry {
  const wanted = run.toLowerCase();
  const found = wanted === "last" ? all.slice(-1) : all.filter((entry) => idOf(entry).startsWith(wanted));
  const [first, second] = found;
  if (first === undefined || wanted === "")
    throw new UserError(`there is no receipt of a run ${JSON.stringify(run)}`, {
      fix: "see the runs with: signalbox receipt list",
      exitCode: EXIT.failed,
    });
  if (second !== undefined)
    throw new UserError(`${found.length} runs begin with ${JSON.stringify(run)}`, {
      fix: `write more of its id, such as ${idOf(first)}`,
    });
  return first;
}

const idOf = ({ statement }: Pick<Sealed, "statement">) => statement.predicate.run_id;
