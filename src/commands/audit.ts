import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listReceipts } from "../backplane/receipts/find-receipt.ts";
import { verifyAuditHead } from "../backplane/receipts/verify-receipts.ts";
import { flawPlace, listSegments, verifyAudit } from "../guard/audit/verify-audit.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { isRecord } from "../lib/is-record.ts";
import { parseJson } from "../lib/parse-json.ts";
import { printable } from "../lib/printable.ts";
import { EXIT } from "../lib/user-error.ts";
import type { CommandModule } from "./command-module.ts";
import { subVerb } from "./sub-verbs.ts";

export const command: CommandModule = {
  firstWords: () => ["verify", "show"],

  configure(audit) {
    audit
      .argument("[what]", "verify or show")
      .option("--json", "print records as they are")
      .option("--limit <n>", "how many of the newest records `show` prints", "50")
      .addHelpText("after", "\nExamples:\n  signalbox audit verify\n  signalbox audit show --limit 10");
  },
  async run({ words, flags }) {
    const folder = signalboxHome();
    const act = subVerb("audit", words[0], {
      verify: () => verify(folder),
      show: () => show(folder, { json: flags["json"] === true, limit: Number(flags["limit"]) }),
    });
    return act();
  },
};

function verify(home: string): number {
  const { segments, records, anchors, head, bad, unanchored, unchained } = verifyAudit(home);
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const flaw = bad === undefined ? unlikeReceipts(home) : `${flawPlace(bad)}: ${bad.because}`;
  if (flaw !== undefined) {
    print(`BAD  ${flaw}`);
    print(`once you know why, start a new log by moving audit, heads/audit.* and keys/audit.pem out of ${home}`);
    return EXIT.failed;
  }
  print(`good: ${records} records in ${segments} segments, ${anchors} anchors`);
  if (unchained)
    print(
      "these anchors were written by an older version that did not count them, so a missing one cannot be detected (the next session counts them)",
    );
  if (unanchored > 0)
    print(`${unanchored} records have no anchor yet: this check would not notice if they were removed`);
  if (head !== undefined && head.count > 0)
    print(`newest anchor: ${head.count} ${head.hash.slice(0, 16)} (it only grows; keep a copy elsewhere to compare)`);
  print(
    "anyone who can write as this user can restore an older copy of everything, or replace records, anchors and key together; only a copy kept elsewhere would reveal that",
  );
  return EXIT.ok;
}

/**
 * Each receipt records the end of its run's log, so a log that was deleted with its anchors and key is still detected.
 */
function unlikeReceipts(home: string): string | undefined {
  for (const { statement } of listReceipts(home)) {
    const [found] = verifyAuditHead(statement.predicate, home);
    if (found !== undefined) return `${found.place}: ${found.because}`;
  }
  return undefined;
}

function show(folder: string, { json, limit }: { readonly json: boolean; readonly limit: number }): number {
  const lines = listSegments(folder).flatMap((segment) =>
    readFileSync(join(folder, "audit", segment), "utf8")
      .split("\n")
      .filter((line) => line !== ""),
  );
  const wanted = Number.isInteger(limit) && limit > 0 ? limit : 50;
  for (const line of lines.slice(-wanted)) process.stdout.write(`${json ? line : describe(line)}\n`);
  return EXIT.ok;
}

function describe(line: string): string {
  try {
    const record: unknown = parseJson(line);
    if (!isRecord(record)) return "(not a record)";
    const { time, verdict, tool, call, code } = record;
    return printable(
      `${String(time)}  ${String(verdict).padEnd(5)}  ${String(tool)}  ${String(call).slice(0, 140)}  ${String(code)}`,
    );
  } catch {
    return "(not a record)";
  }
}
