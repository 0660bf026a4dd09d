import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { listSegments } from "../../guard/audit/verify-audit.ts";
import { isRecord, strings } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";

/** A record of the log as far as it is shown, and its line. */
export interface LoggedCall {
  readonly line: string;
  readonly time: string;
  readonly session: string;
  readonly agent: string;
  readonly tool: string;
  readonly cwd: string;
  /** The call as it was recorded: JSON, or the beginning of it. */
  readonly call: string;
  readonly input: unknown;
  readonly verdict: string;
  readonly code: string;
  readonly rules: readonly string[];
  readonly because: string | undefined;
}

/** Early releases wrote the hosts of every session under this one. */
const NO_SESSION = "network";

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
    found = [...found, ...linesOf(path).slice(-count).flatMap(toRecord)].toSorted(byTime).slice(-count);
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
      .flatMap(toRecord)
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
        for (const { session } of toRecord(line)) if (session.startsWith(beginning)) found.add(session);
  return found.has(beginning) ? [beginning] : [...found];
}

/** All records of a session, oldest first, with the hosts that early releases recorded for its commands. */
export function recordsOf(home: string, session: string): readonly LoggedCall[] {
  const marks = [session, NO_SESSION].map((id) => `"session":${JSON.stringify(id)}`);
  const found = segmentsOf(home)
    .flatMap(({ path }) => linesOf(path).filter((line) => marks.some((mark) => line.includes(mark))))
    .flatMap(toRecord)
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

/** What a host's record and the call that asked for it have in common. */
const askedBy = ({ agent, cwd, input }: LoggedCall) => JSON.stringify([agent, cwd, commandIn(input)]);

/** The command of a shell call, or of the record of a host. */
export function commandIn(input: unknown): string | undefined {
  const { command, cmd } = isRecord(input) ? input : {};
  return [command, cmd].find((value) => typeof value === "string");
}

const byTime = (one: LoggedCall, other: LoggedCall) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0);

const linesOf = (path: string): readonly string[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");

function toRecord(line: string): readonly LoggedCall[] {
  const record = parse(line);
  if (!isRecord(record)) return [];
  const text = (name: string) => {
    const value = record[name];
    return typeof value === "string" ? value : "";
  };
  const call = text("call");
  return [
    {
      line,
      time: text("time"),
      session: text("session"),
      agent: text("agent"),
      tool: text("tool"),
      cwd: text("cwd"),
      call,
      input: parse(call),
      verdict: text("verdict"),
      code: text("code"),
      rules: strings(record["rules"]) ?? [],
      because: typeof record["because"] === "string" ? record["because"] : undefined,
    },
  ];
}

/** Undefined for what is not JSON: a call that was cut, or a line that is still being written. */
function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
