import { statSync } from "node:fs";
import { join } from "node:path";
import { callText } from "../contract/agent-call.ts";
import { flawPlace, listSegments, prunedLookup, verifyAudit } from "../guard/audit/verify-audit.ts";
import { prunedLine } from "../lib/files/tombstones.ts";
import { needsUpdate } from "../lib/json/file-format.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { printableLine } from "../lib/text/printable.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import { listReceipts } from "../receipts/seal/find-receipt.ts";
import { verifyAuditHead } from "../receipts/seal/verify-receipts.ts";
import type { CommandModule } from "./command-module.ts";
import { type LoggedCall, loggedCall, linesOf } from "./logged-calls.ts";
import { printText } from "./flags.ts";
import { subVerb, subVerbsText } from "./sub-verbs.ts";

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

const MAX_CALL = 160;

const isHost = ({ tool }: LoggedCall) => tool === "network";

const INDENT = " ".repeat(19);

/** Early releases wrote the hosts of every session under this one. */
const NO_SESSION = "network";

/** What a host's record and the call that asked for it have in common. */
const askedBy = ({ agent, cwd, input }: LoggedCall) => JSON.stringify([agent, cwd, commandIn(input)]);

const byTime = (one: LoggedCall, other: LoggedCall) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0);

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
    const [json, limit] = [flags["json"] === true, Number(flags["limit"])];
    if (words.length === 0) return await showLast(folder, json, limit);
    const act = subVerb("audit", words[0], {
      verify: async () => verify(folder),
      show: () => show(folder, words[1], json, limit),
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
    const [found] = verifyAuditHead(statement.predicate, home, isPruned);
    if (found !== undefined) return `${found.place}: ${found.because}`;
  }
  return undefined;
}

async function show(home: string, run: string | undefined, json: boolean, limit: number): Promise<number> {
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
async function showLast(home: string, json: boolean, limit: number): Promise<number> {
  const run = lastSession(home);
  await show(home, run, json, limit);
  if (!json) await printText("\nMore: signalbox audit show, signalbox audit verify, signalbox audit --help\n");
  return EXIT.ok;
}

/** The records for people: a header for each session, then its calls, with the hosts under the call that asked. */
export function auditStory(records: readonly LoggedCall[]): string {
  const sessions = Map.groupBy(withHosts(records), ({ call }) => call.session);
  return [...sessions.values()].map(sessionText).join("\n");
}

/** A call, or a host whose call is not among the records. */
interface ShownCall {
  readonly call: LoggedCall;
  readonly hosts: LoggedCall[];
  answer?: LoggedCall | undefined;
}

function withHosts(records: readonly LoggedCall[]): readonly ShownCall[] {
  const shown: ShownCall[] = [];
  // The latest call with a command, because that is the one that ran when a host was asked for.
  const latest = new Map<string, ShownCall>();
  for (const record of records) {
    const command = commandIn(record.input) ?? record.call;
    const asker = latest.get(command);
    if (isHost(record) && asker !== undefined) asker.hosts.push(record);
    else if (record.code.startsWith("person-") && asker !== undefined) asker.answer = record;
    else {
      const one: ShownCall = { call: record, hosts: [] };
      shown.push(one);
      if (!isHost(record)) latest.set(command, one);
    }
  }
  return shown;
}

function sessionText(calls: readonly ShownCall[]): string {
  const [first] = calls;
  if (first === undefined) return "";
  const { agent, session, cwd, time } = first.call;
  const last = calls.at(-1)?.call.time ?? time;
  const until = last.slice(0, 10) === time.slice(0, 10) ? last.slice(11, 19) : last.slice(0, 19);
  const header = `${agent}  ${cwd}  ${time.slice(0, 10)} ${time.slice(11, 19)} to ${until} UTC  session ${session}`;
  return `${[printableLine(header), ...calls.flatMap(callLines)].join("\n")}\n`;
}

function callLines({ call, hosts, answer }: ShownCall): readonly string[] {
  const time = call.time.slice(11, 19);
  if (isHost(call)) {
    const command = commandIn(call.input);
    const asker = command === undefined ? [] : [short(`asked for by $ ${command}`)];
    return [`  ${time}  ${hostLine(call)}`, ...asker.map((line) => `${INDENT}${line}`)];
  }
  const shown = short(callText(call.tool, call.input ?? call.call));
  const why = reasonOf(call);
  return [
    `  ${time}  ${call.verdict.padEnd(5)}  ${shown}`,
    ...(why === undefined ? [] : [`${INDENT}${printableLine(why)}`]),
    ...(answer === undefined ? [] : [`${INDENT}a person said ${answer.verdict === "allow" ? "yes" : "no"}`]),
    ...hosts.map((host) => `${INDENT}${hostLine(host)}`),
  ];
}

function short(text: string): string {
  const line = printableLine(text);
  return line.length > MAX_CALL ? `${line.slice(0, MAX_CALL)}…` : line;
}

/** Why it was not simply allowed. */
function reasonOf({ verdict, because, code, rules }: LoggedCall): string | undefined {
  if (verdict === "allow") return undefined;
  const rule = rules.length === 0 ? "" : ` (rule ${rules.join(", ")})`;
  return `${because ?? code}${rule}`;
}

/** The reason is in the place of the rules. */
function hostLine({ input, call, verdict, rules }: LoggedCall): string {
  const host = isRecord(input) && typeof input["host"] === "string" ? input["host"] : call.slice(0, MAX_CALL);
  return printableLine(`${verdict === "allow" ? "allowed" : "refused"} ${host}: ${rules.join(", ")}`);
}

interface Segment {
  readonly path: string;
  readonly changed: number;
}

/** The segments of the log, the one that was written last first. */
function segmentsOf(home: string): readonly Segment[] {
  return listSegments(home)
    .flatMap((name) => {
      const path = join(home, "audit", name);
      const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
      return changed === undefined ? [] : [{ path, changed }];
    })
    .toSorted((one, other) => other.changed - one.changed);
}

/** The newest records, oldest first. Older segments are not read. */
export function newestRecords(home: string, count: number): readonly LoggedCall[] {
  let found: readonly LoggedCall[] = [];
  for (const { path, changed } of segmentsOf(home)) {
    const oldest = found.length < count ? undefined : found[0];
    if (oldest !== undefined && changed < Date.parse(oldest.time)) break;
    found = [...found, ...linesOf(path).slice(-count).flatMap(loggedCall)].toSorted(byTime).slice(-count);
  }
  return found;
}

/** The records of the session that was active last; undefined if there is none. */
export function lastSession(home: string): string | undefined {
  let newest: LoggedCall | undefined;
  for (const { path, changed } of segmentsOf(home)) {
    if (newest !== undefined && changed < Date.parse(newest.time)) break;
    const last = linesOf(path)
      .toReversed()
      .values()
      .flatMap(loggedCall)
      .find(({ session }) => session !== NO_SESSION && session !== "");
    if (last !== undefined && (newest === undefined || last.time > newest.time)) newest = last;
  }
  return newest?.session;
}

/** The sessions whose id begins so; that one alone if it is whole. */
export function sessionsNamed(home: string, beginning: string): readonly string[] {
  const mark = `"session":${JSON.stringify(beginning).slice(0, -1)}`;
  const found = new Set<string>();
  for (const { path } of segmentsOf(home))
    for (const line of linesOf(path))
      if (line.includes(mark))
        for (const { session } of loggedCall(line)) if (session.startsWith(beginning)) found.add(session);
  return found.has(beginning) ? [beginning] : [...found];
}

/** All records of a session, oldest first, with the hosts that early releases recorded for its commands. */
export function recordsOf(home: string, session: string): readonly LoggedCall[] {
  const marks = [session, NO_SESSION].map((id) => `"session":${JSON.stringify(id)}`);
  const found = segmentsOf(home)
    .flatMap(({ path }) => linesOf(path).filter((line) => marks.some((mark) => line.includes(mark))))
    .flatMap(loggedCall)
    .toSorted(byTime);
  const own = found.filter((record) => record.session === session);
  if (session === NO_SESSION) return own;
  const asked = new Set(own.map(askedBy));
  return found.filter(
    (record) =>
      record.session === session ||
      (record.session === NO_SESSION && asked.has(askedBy(record)) && record.time >= (own[0]?.time ?? "")),
  );
}

/** The command of a shell call, or of the record of a host. */
export function commandIn(input: unknown): string | undefined {
  const { command, cmd } = isRecord(input) ? input : {};
  return [command, cmd].find((value) => typeof value === "string");
}
