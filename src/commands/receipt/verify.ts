import { pickRun } from "../../receipts/seal/find-receipt.ts";
import {
  type HomeReport,
  isGuarded,
  reportOfRun,
  verifyFile,
  verifyHome,
} from "../../receipts/seal/verify-receipts.ts";
import type { Statement } from "../../contract/seal.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { printable } from "../../lib/text/printable.ts";
import { prunedLine } from "../../lib/files/tombstones.ts";
import { EXIT, isUserError, UserError } from "../../lib/text/user-error.ts";
import { printJson, textFlag } from "../flags.ts";
import { isFile } from "./stored.ts";
import type { CommandInput } from "../command-module.ts";

/** Verifies all receipts of this machine, one run with the chain it belongs to, or one file. Reports every problem. */
export async function run({ words, flags }: CommandInput): Promise<number> {
  const [, word] = words;
  if (word === undefined) return checkHome(flags);
  return isFile(word) ? checkFile(word, flags) : checkRun(word, flags);
}

type Flags = CommandInput["flags"];

function checkHome(flags: Flags): number {
  const report = verifyHome(signalboxHome());
  const { seals, bytes, findings, gone, pruned } = report;
  const good = isGood(report, flags);
  if (flags["json"] === true) printJson({ good, seals: seals.length, bytes, findings, gone, pruned });
  else {
    const summary = `good: ${receiptCount(seals)}, ${bytes} bytes, one unbroken chain`;
    tell(report, [...(good ? [summary] : []), ...pruned.map(prunedLine), ...(good ? limit(seals) : [])]);
  }
  return good ? EXIT.ok : EXIT.failed;
}

/** Problems that only concern other runs are mentioned, but only fail the verification of all receipts. */
function checkRun(word: string, flags: Flags): number {
  const whole = verifyHome(signalboxHome());
  const statement = pickStatement(whole, word);
  const { run_id: run } = statement.predicate;
  const report = reportOfRun(whole, run);
  const { seals, findings, gone, others } = report;
  const good = isGood(report, flags);
  const guarded = isGuarded(statement.predicate);
  if (flags["json"] === true) printJson({ good, run, seals: seals.length, findings, gone, others, guarded });
  else {
    const elsewhere = `warning: ${others.length} ${others.length === 1 ? "finding" : "findings"} about other runs; see with: signalbox receipt verify`;
    tell(report, [
      ...(good
        ? [`good: run ${run}, one of ${receiptCount(seals)} in one unbroken chain`, guardedLine(statement)]
        : []),
      ...(others.length === 0 ? [] : [elsewhere]),
      ...(good ? limit(seals) : []),
    ]);
  }
  return good ? EXIT.ok : EXIT.failed;
}

/** A run may be missing because of another problem, so that problem is reported first. */
function pickStatement(report: HomeReport, word: string): Statement {
  try {
    return pickRun(
      report.seals.map((statement) => ({ statement })),
      word,
    ).statement;
  } catch (error) {
    if (report.findings.length === 0 || !isUserError(error)) throw error;
    tell({ ...report, gone: [] }, []);
    throw new UserError(error.message, { fix: error.fix, exitCode: EXIT.failed });
  }
}

const isGood = ({ findings, gone }: HomeReport, flags: Flags) =>
  findings.length === 0 && (gone.length === 0 || flags["allowGone"] === true);

const receiptCount = ({ length }: readonly Statement[]) => `${length} ${length === 1 ? "receipt" : "receipts"}`;

const LIMIT =
  "anyone who can write as this user can replace receipts, head and key together; only a copy kept elsewhere would reveal that";

const limit = (seals: readonly Statement[]) => (seals.length === 0 ? [] : [LIMIT]);

function tell({ findings, gone }: HomeReport, more: readonly string[]): void {
  const lines = [
    ...findings.map(({ place, because }) => `BAD   ${place}: ${because}`),
    ...gone.map(({ place, because }) => `GONE  ${place}: ${because}`),
    ...more,
  ];
  process.stdout.write(`${printable(lines.join("\n"))}\n`);
}

function guardedLine({ predicate }: Statement): string {
  if (isGuarded(predicate)) return `run ${predicate.run_id} was guarded: every call was judged before it ran`;
  const calls = predicate.guard.calls_not_held;
  return `run ${predicate.run_id} was NOT guarded: ${calls.length === 0 ? "its host does not send every call to the guard" : `ran before the guard answered: ${calls.join(", ")}`}`;
}

function checkFile(path: string, flags: Flags): number {
  const { hash, statement, findings, keyId } = verifyFile(path, signalboxHome(), textFlag(flags, "key"));
  const good = findings.length === 0;
  const guarded = statement === undefined ? undefined : isGuarded(statement.predicate);
  if (flags["json"] === true) printJson({ good, hash, sealed: statement !== undefined, guarded, findings });
  else {
    const lines = [
      ...findings.map((because) => `BAD   ${path}: ${because}`),
      ...(good ? [`good: ${hash}, ${statement === undefined ? "without a seal" : `sealed by key ${keyId}`}`] : []),
      ...(good && statement !== undefined ? [guardedLine(statement)] : []),
    ];
    process.stdout.write(`${printable(lines.join("\n"))}\n`);
  }
  return good ? EXIT.ok : EXIT.failed;
}
