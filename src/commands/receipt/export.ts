import { exportReceipt } from "../../receipts/seal/find-receipt.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { errorCode, EXIT, UserError } from "../../lib/text/user-error.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { textFlag } from "../flags.ts";
import { wantedRun } from "./argument.ts";
import type { CommandInput } from "../command-module.ts";

/** Writes a receipt with its seal and the public key, so that others can verify it. */
export async function run({ words, flags }: CommandInput): Promise<number> {
  const text = exportReceipt(signalboxHome(), wantedRun(words, "signalbox receipt export RUN"));
  const out = textFlag(flags, "out");
  if (out === undefined || out === "-") process.stdout.write(text);
  else write(out, text);
  return EXIT.ok;
}

function write(path: string, text: string): void {
  try {
    atomicWrite(path, text, 0o644);
  } catch (cause) {
    throw new UserError(`cannot write the receipt (${errorCode(cause)})`, {
      where: path,
      fix: "choose a file in a folder you can write to",
      cause,
    });
  }
}
