import { pickRun, sealedCommit } from "../../receipts/seal/find-receipt.ts";
import {
  type HomeReport,
  isGuarded,
  reportOfRun,
  verifyFile,
  verifyHome,
} from "../../receipts/seal/verify-receipts.ts";
import type { Statement } from "../../contract/seal.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { currentFolder } from "../../lib/path/workspace.ts";
import { runGit } from "../../lib/process/run-git.ts";
import { printable } from "../../lib/text/printable.ts";
import { prunedLine } from "../../lib/files/tombstones.ts";
import { EXIT, isUserError, UserError } from "../../lib/text/user-error.ts";
import { printJson, textFlag } from "../flags.ts";
import { isFile } from "./stored.ts";
import type { CommandInput } from "../command-module.ts";

/** Verifies all receipts of this machine, one run with the chain it belongs to, or one file. Reports every problem. */
export async function run({ words, flags }: CommandInput): Promise<number> {
  const [, word] = words;
  const commit = textFlag(flags, "commit");
  if (commit !== undefined && word !== undefined)
    throw new UserError("a run and --commit cannot be combined", { where: "--commit", fix: "pass one of them" });
  if (commit !== undefined) return await checkCommit(commit, flags);
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

/** Which session made a commit, and whether its check passed. Only a good receipt of a passed check counts. */
async function checkCommit(revision: string, flags: Flags): Promise<number> {
  const commit = await commitOf(revision);
  const whole = verifyHome(signalboxHome());
  const made = whole.seals.filter((statement) => sealedCommit(statement) === commit);
  const [last] = made.toReversed();
  if (last === undefined)
    throw new UserError("no receipt ends on this commit", {
      where: commit,
      fix: "it was not made in a session here, or was amended or rebased since: signalbox receipt list",
      exitCode: EXIT.failed,
    });
  const { run_id: run, agent, verified, acceptance } = last.predicate;
  const { findings, gone } = reportOfRun(whole, run);
  const good = isGood({ ...whole, findings, gone }, flags);
  const passed = good && verified === "accepted";
  if (flags["json"] === true) printJson({ good, passed, commit, run, agent: agent.name, verified, findings, gone });
  else {
    const checks = [...new Set(acceptance.map(({ command }) => command))].join(", ");
    const word = passed ? `VERIFIED ${checks}` : (WORDS[verified] ?? "NOT CHECKED");
    const line = `${good ? word : "BAD RECEIPT"}: commit ${commit.slice(0, 12)} was made in run ${run} (${agent.name})`;
    tell({ ...whole, findings, gone }, [line]);
  }
  return passed ? EXIT.ok : EXIT.failed;
}

const WORDS: Readonly<Record<string, string>> = {
  refused: "FAILED",
  changed_check: "CHANGED CHECK",
  stale: "STALE",
};

async function commitOf(revision: string): Promise<string> {
  const refuse = (cause?: unknown) =>
    new UserError("git does not know this commit", { where: revision, fix: "for example --commit HEAD", cause });
  try {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
    const { stdout } = await runGit(args, { cwd: currentFolder(), accept: [1, 128] });
    const commit = stdout.toString("utf8").trim();
    if (commit !== "") return commit;
  } catch (error) {
    throw refuse(error);
  }
  throw refuse();
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
