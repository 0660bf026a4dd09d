import { verifyFile } from "../backplane/receipts/export-receipt.ts";
import { findReceipt } from "../backplane/receipts/find-receipt.ts";
import { readJsonFile } from "../backplane/receipts/read-receipt.ts";
import { readSealKey, readVerifyKey } from "../backplane/receipts/seal-key.ts";
import { type HomeReport, isGuarded, verifyHome } from "../backplane/receipts/verify-home.ts";
import type { Statement } from "../contract/seal.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { printable } from "../lib/printable.ts";
import { EXIT } from "../lib/user-error.ts";
import { printJson, textFlag } from "./flags.ts";
import { isFile } from "./receipt-argument.ts";
import type { CommandInput } from "./verbs.ts";

/** Checks all receipts of this machine, or one file. Says everything that is wrong. */
export async function run({ words, flags }: CommandInput): Promise<number> {
  const [, word] = words;
  return word !== undefined && isFile(word) ? checkFile(word, flags) : checkHome(word, flags);
}

type Flags = CommandInput["flags"];

function checkHome(run: string | undefined, flags: Flags): number {
  const home = signalboxHome();
  const report = verifyHome(home);
  const good = report.findings.length === 0 && (report.gone.length === 0 || flags["allowGone"] === true);
  const one = good && run !== undefined ? findReceipt(home, run).statement : undefined;
  if (flags["json"] === true) {
    const { seals, bytes, findings, gone } = report;
    const guarded = one === undefined ? {} : { guarded: isGuarded(one.predicate) };
    printJson({ good, seals: seals.length, bytes, findings, gone, ...guarded });
  } else tell(report, good, one);
  return good ? EXIT.ok : EXIT.failed;
}

function tell({ seals, bytes, findings, gone }: HomeReport, good: boolean, one: Statement | undefined): void {
  const lines = [
    ...findings.map(({ place, because }) => `BAD   ${place}: ${because}`),
    ...gone.map(({ place, because }) => `GONE  ${place}: ${because}`),
    ...(good ? [`good: ${seals.length} receipts, ${bytes} bytes, one unbroken chain`] : []),
    ...(one === undefined ? [] : [guardedLine(one)]),
    ...(good && seals.length > 0
      ? [
          "someone who can write as this user can replace receipts, head and key together; only a copy kept elsewhere shows that",
        ]
      : []),
  ];
  process.stdout.write(`${printable(lines.join("\n"))}\n`);
}

function guardedLine({ predicate }: Statement): string {
  if (isGuarded(predicate))
    return `run ${predicate.run_id} was guarded: every call was judged before it was carried out`;
  const calls = predicate.guard.calls_not_held;
  return `run ${predicate.run_id} was NOT guarded: ${calls.length === 0 ? "not every call of its host comes to the guard" : `not held back: ${calls.join(", ")}`}`;
}

function checkFile(path: string, flags: Flags): number {
  const keyFile = textFlag(flags, "key");
  const key = keyFile === undefined ? readSealKey(signalboxHome()) : readVerifyKey(keyFile);
  const { hash, statement, findings } = verifyFile(readJsonFile(path), path, key);
  const good = findings.length === 0;
  const guarded = statement === undefined ? undefined : isGuarded(statement.predicate);
  if (flags["json"] === true) printJson({ good, hash, sealed: statement !== undefined, guarded, findings });
  else {
    const lines = [
      ...findings.map((because) => `BAD   ${path}: ${because}`),
      ...(good ? [`good: ${hash}, ${statement === undefined ? "without a seal" : `sealed by key ${key?.id}`}`] : []),
      ...(good && statement !== undefined ? [guardedLine(statement)] : []),
    ];
    process.stdout.write(`${printable(lines.join("\n"))}\n`);
  }
  return good ? EXIT.ok : EXIT.failed;
}
