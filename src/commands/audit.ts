import { needsUpdate } from "../lib/file-format.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listReceipts } from "../backplane/receipts/find-receipt.ts";
import { verifyAuditHead } from "../backplane/receipts/verify-receipts.ts";
import { flawPlace, listSegments, prunedLookup, verifyAudit } from "../guard/audit/verify-audit.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { isRecord } from "../lib/is-record.ts";
import { parseJson } from "../lib/parse-json.ts";
import { printableLine } from "../lib/printable.ts";
import { prunedLine } from "../lib/tombstones.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import type { CommandModule } from "./command-module.ts";
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
    summary: "print the newest decisions, or those of one run",
    flags: ["--limit", "--json"],
    examples: ["signalbox audit show --limit 10", "signalbox audit show last"],
  },
};

export const command: CommandModule = {
  subVerbs: HELP,
  firstWords: () => ["verify", "show"],

  configure(audit) {
    audit
      .argument("[what]", "verify or show")
      .argument("[run]", "show: only the records of this run or session: its id, the beginning of it, or last")
      .option("--json", "print records as they are")
      .option("--limit <n>", "how many of the newest records `show` prints", "50")
      .addHelpText("after", subVerbsText(HELP, EXAMPLES));
  },
  async run({ words, flags }) {
    const folder = signalboxHome();
    const act = subVerb("audit", words[0], {
      verify: () => verify(folder),
      show: () => show(folder, { run: words[1], json: flags["json"] === true, limit: Number(flags["limit"]) }),
    });
    return act();
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

function show(folder: string, { run, json, limit }: Shown): number {
  const lines = listSegments(folder).flatMap((segment) =>
    readFileSync(join(folder, "audit", segment), "utf8")
      .split("\n")
      .filter((line) => line !== ""),
  );
  const ofRun = run === undefined ? lines : linesOf(lines, run);
  const wanted = Number.isInteger(limit) && limit > 0 ? limit : 50;
  for (const line of ofRun.slice(-wanted)) process.stdout.write(`${json ? line : describe(line)}\n`);
  return EXIT.ok;
}

/** The records of one run or session. `last` is the one with the newest record. */
function linesOf(lines: readonly string[], run: string): readonly string[] {
  const records = lines.map((line) => ({ line, ...fieldsOf(line) }));
  const newest = records.reduce((one, other) => (other.time >= one.time ? other : one), { session: "", time: "" });
  const sessions = new Set(records.map(({ session }) => session).filter((session) => session !== ""));
  const beginning = [...sessions].filter((session) => session.startsWith(run));
  const found = run === "last" ? [newest.session] : sessions.has(run) ? [run] : beginning;
  const [session] = found;
  if (session === undefined || session === "" || run === "" || found.length > 1)
    throw new UserError(found.length > 1 ? `${found.length} runs or sessions match` : "no records of such a run", {
      where: run,
      fix: "'signalbox audit show --json' shows the session of each record",
    });
  return records.filter((record) => record.session === session).map(({ line }) => line);
}

function fieldsOf(text: string): { readonly session: string; readonly time: string } {
  const { session, time } = recordIn(text) ?? {};
  return { session: typeof session === "string" ? session : "", time: typeof time === "string" ? time : "" };
}

function describe(line: string): string {
  const record = recordIn(line);
  if (record === undefined) return "(not a record)";
  const { time, verdict, tool, call, code } = record;
  return printableLine(
    `${String(time)}  ${String(verdict).padEnd(5)}  ${String(tool)}  ${String(call).slice(0, 140)}  ${String(code)}`,
  );
}

function recordIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const record: unknown = parseJson(line);
    return isRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}
