import { receiptFileHash } from "../../receipts/seal/find-receipt.ts";
import { EXIT } from "../../lib/text/user-error.ts";
import { wantedRun } from "./argument.ts";
import type { CommandInput } from "../command-module.ts";

/** Prints the canonical hash of a receipt file, and nothing else. */
export async function run({ words }: CommandInput): Promise<number> {
  const path = wantedRun(words, "signalbox receipt hash FILE");
  process.stdout.write(`${receiptFileHash(path)}\n`);
  return EXIT.ok;
}
