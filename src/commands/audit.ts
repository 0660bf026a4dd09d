import { needsUpdate } from "../lib/file-format.ts";
import { listReceipts } from "../backplane/receipts/find-receipt.ts";
import { verifyAuditHead } from "../backplane/receipts/verify-receipts.ts";
import { flawPlace, prunedLookup, verifyAudit } from "../guard/audit/verify-audit.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { prunedLine } from "../lib/tombstones.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { lastSession, newestRecords, recordsOf, sessionsNamed } from "./audit/read-log.ts";
import { auditStory } from "./audit/story.ts";
import type { CommandModule } from "./command-module.ts";
import { printText } from "./print-line.ts";
import { subVerbsText } from "./sub-help.ts";
import { subVerb } from "./sub-verbs.ts";

const EXAMPLES = ["signalbox audit verify", "signalbox audit show --limit 10", "signalbox audit show last"];

const HELP: NonNullable<CommandModule["subVerbs"]> = {
  verify: {
    usage: "",
    summary: "check that no recorded decision was changed or removed",
    flags: [],
    examples: ["signalbox audit verify"],
  },
  show: {
    usage: "[RUN] [--limit N] [--json]",
    summary: "the newest decisions and hosts, or those of one session",
    flags: ["--limit", "--json"],
    more: "Times are UTC. --json prints the records as they are in the log.",
    examples: ["signalbox audit show --limit 10", "signalbox audit show last"],
  },
};

export const command: CommandModule = {
  subVerbs: HELP,
  firstWords: () => ["verify", "show"],

  configure(audit) {
    audit
      .argument("[what]", "verify or show")
      .argument("[run]", "show: only this run or session: its id, the beginning of it, or last (as audit alone)")
      .option("--json", "print records as they are")
      .option("--limit <n>", "how many of the newest records `show` prints", "50")
      .addHelpText("after", subVerbsText(HELP, EXAMPLES));
  },
  async run({ words, flags }) {
    const folder = signalboxHome();
    const shown = { json: flags["json"] === true, limit: Number(flags["limit"]) };
    if (words.length === 0) return await showLast(folder, shown);
    const act = subVerb("audit", words[0], {
      verify: async () => verify(folder),
      show: () => show(folder, { ...shown, run: words[1] }),
    });
    return await act();
  },
};

function verify(home: string): number {
  const { segments, records, anchors, head, bad, unanchored, unchained, pruned } = verifyAudit(home);
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const flaw = bad === undefined ? unlikeReceipts(home) : `${flawPlace(bad)}: ${bad.because}`;
  if (flaw !== undefined) {
    print(`BAD  ${flaw}`);
    if (!needsUpdate(flaw))
      print(`once you know why, start a new log by moving audit, heads/audit.* and keys/audit.pem out of ${home}`);
    return EXIT.failed;
  }
  print(`good: ${records} records in ${segments} segments, ${anchors} anchors`);
  for (const each of pruned) print(prunedLine(each));
  if (unchained)
    print(
      "these anchors were written by an older version that did not count them, so a missing one cannot be detected (the next session counts them)",
    );
  if (unanchored > 0)
    print(
      `${unanchored} records have no anchor, because their session still runs or was killed: this check would not notice if they were removed`,
    );
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
  const isPruned = prunedLookup(home);
  for (const { statement } of listReceipts(home)) {
    const [found] = verifyAuditHead(statement.predicate, { home, isPruned });
    if (found !== undefined) return `${found.place}: ${found.because}`;
  }
  return undefined;
}

interface Shown {
  readonly run: string | undefined;
  readonly json: boolean;
  readonly limit: number;
}

async function show(home: string, { run, json, limit }: Shown): Promise<number> {
  const wanted = Number.isInteger(limit) && limit > 0 ? limit : 50;
  const all = run === undefined ? newestRecords(home, wanted) : recordsOf(home, sessionOf(home, run));
  const records = all.slice(-wanted);
  if (json) await printText(records.map(({ line }) => `${line}\n`).join(""));
  else if (records.length === 0) await printText("Nothing is recorded yet.\n");
  else {
    const left = all.length - records.length;
    const more = left === 0 ? "" : `${left} earlier records are left out; to see them: --limit ${all.length}\n\n`;
    await printText(`${more}${auditStory(records)}`);
  }
  return EXIT.ok;
}

function sessionOf(home: string, run: string): string {
  const last = run === "last" ? lastSession(home) : undefined;
  const found = last === undefined ? sessionsNamed(home, run) : [last];
  const [session] = found;
  if (session === undefined || run === "" || found.length > 1)
    throw new UserError(found.length > 1 ? `${found.length} runs or sessions match` : "no records of such a run", {
      where: run,
      fix: "'signalbox audit show' shows the newest sessions",
    });
  return session;
}

/** What a person wants who says no more: the last session. The rest is in the help. */
async function showLast(home: string, shown: Omit<Shown, "run">): Promise<number> {
  const run = lastSession(home);
  await show(home, { ...shown, run });
  if (!shown.json) await printText("\nMore: signalbox audit show, signalbox audit verify, signalbox audit --help\n");
  return EXIT.ok;
}
