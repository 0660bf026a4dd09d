import { latestReceipts, prunedReceipts } from "../../receipts/seal/find-receipt.ts";
import type { SealPredicate } from "../../contract/seal.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { printable } from "../../lib/text/printable.ts";
import { EXIT } from "../../lib/text/user-error.ts";
import { countFlag, printLine } from "../flags.ts";
import type { CommandInput } from "../command-module.ts";

/** Prints the newest receipts, oldest first. */
export async function run({ flags }: CommandInput): Promise<number> {
  const limit = countFlag(flags, "limit", 1_000_000) ?? 50;
  const receipts = latestReceipts(signalboxHome(), Math.max(limit, 1));
  const prunedAt = prunedReceipts(signalboxHome());
  for (const { statement } of limit === 0 ? [] : receipts) {
    const pruned = prunedAt(statement);
    if (flags["json"] === true) await printLine({ ...statement.predicate, pruned_at: pruned ?? null });
    else process.stdout.write(`${printable(line(statement.predicate, pruned))}\n`);
  }
  if (receipts.length === 0 && flags["json"] !== true) process.stdout.write("no receipts yet\n");
  return EXIT.ok;
}

function line(predicate: SealPredicate, pruned: string | undefined): string {
  const { run_id: run, finished_at: finished, agent, outcome, stopped, verified } = predicate;
  const end = [
    outcome,
    stopped,
    verified.replace("_", " "),
    ...(pruned === undefined ? [] : [`pruned ${day(pruned)}`]),
  ];
  return `${finished.padEnd(24)}  ${run}  ${agent.name}  ${end.join(", ")}`;
}

const day = (time: string) => time.slice(0, 10);
