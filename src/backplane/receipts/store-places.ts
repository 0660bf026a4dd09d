import { join } from "node:path";

/** Where receipts lie under the home of signalbox. Every byte in `folder` is covered by a seal; the rest lies outside it. */
export function storePlaces(home: string) {
  return {
    folder: join(home, "receipts"),
    /** One seal a line. */
    chain: join(home, "receipts", CHAIN),
    head: join(home, "heads", "receipts.json"),
    /** The receipt and the seal that are being added, for the next process when this one dies. */
    stagedReceipt: join(home, "heads", "receipts.staged"),
    pending: join(home, "heads", "receipts.pending"),
    lock: join(home, "locks", "receipts.sqlite"),
  };
}
export type StorePlaces = ReturnType<typeof storePlaces>;

export const CHAIN = "chain.jsonl";

/** The file of a receipt's canonical bytes: its SHA-256 is the hash of the receipt. */
export const receiptFileName = (run: string) => `${run}.json`;
