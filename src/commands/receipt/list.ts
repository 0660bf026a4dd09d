import { latestReceipts } from "../../backplane/receipts/find-receipt.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { printable } from "../../lib/printable.ts";
import { EXIT } from "../../lib/user-error.ts";
import { countFlag } from "../flags.ts";
import { printLine } from "../print-line.ts";
import type { CommandInput } from "../command-module.ts";

/** Prints the newest receipts, oldest first. */
export async function run({ flags }: CommandInput): Promise<number> {
  const limit = countFlag(flags, "limit", 1_000_000) ?? 50;
  const receipts = latestReceipts(signalboxHome(), Math.max(limit, 1));
  const predicates = receipts.map(({ statement }) => statement.predicate);
  for (const predicate of limit === 0 ? [] : predicates) {
    const { run_id, finished_at, agent, outcome, stopped, verified } = predicate;
    if (flags["json"] === true) await printLine(predicate);
    else
      process.stdout.write(
        `${printable(`${finished_at.padEnd(24)}  ${run_id}  ${agent.name}  ${outcome}, ${stopped}, ${verified.replace("_", " ")}`)}\n`,
      );
  }
  if (predicates.length === 0 && flags["json"] !== true) process.stdout.write("no receipts yet\n");
  return EXIT.ok;
}
