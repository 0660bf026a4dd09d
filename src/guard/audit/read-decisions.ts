import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { newerFormat } from "../../lib/json/file-format.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { jsonIfValid } from "../../lib/json/parse-json.ts";
import { isBelow } from "../../lib/path/real-path.ts";
import { commandOf, toolKind } from "../judge/tool-call.ts";
import { listSegments } from "./verify-audit.ts";
import { hashOf, NO_RECORD } from "./write-audit.ts";

/** A decision from the log. */
interface RecordedDecision {
  readonly time: string;
  readonly tool: string;
  readonly cwd: string;
  readonly verdict: string;
  readonly code: string;
  /** The call's input, with secrets redacted; undefined when it was too long to be recorded whole. */
  readonly input: unknown;
  /** Whether it ran in a sandbox, or left one. Undefined where there was none. */
  readonly contained: boolean | undefined;
}

/** What was read, and what was left out and why. */
export interface LogCounts {
  records: number;
  /** Segments that another user owns, or that are not regular files. */
  foreign: number;
  /** Segments with a record that does not follow from the one before; nothing after it counts. */
  damaged: number;
  /** Segments with a record of a newer signalbox; nothing after it counts. */
  newer: number;
  /** Older segments beyond the limit. */
  unread: number;
}

export const newCounts = (): LogCounts => ({ records: 0, foreign: 0, damaged: 0, newer: 0, unread: 0 });

const MAX_BYTES = 256 * 1024 * 1024;

const MAX_LINE = 256 * 1024;

const CHUNK = 64 * 1024;

/** The decisions of every segment, newest segment first. Checks the chain, so an inserted or changed line is left out. */
export function* readDecisions(home: string, counts: LogCounts): Generator<RecordedDecision> {
  let budget = MAX_BYTES;
  for (const name of listSegments(home).toReversed()) {
    if (budget <= 0) {
      counts.unread++;
      continue;
    }
    const file = openOwn(join(home, "audit", name));
    if (file === undefined) {
      counts.foreign++;
      continue;
    }
    try {
      budget -= fstatSync(file).size;
      yield* readChain(linesOf(file), counts);
    } finally {
      closeSync(file);
    }
  }
}

/** Undefined for what is not a regular file of this user, so that nobody else can put words into the log. */
function openOwn(path: string): number | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
  const stat = fstatSync(file);
  if (stat.isFile() && stat.uid === process.getuid?.()) return file;
  closeSync(file);
  return undefined;
}

/** Whole lines. A line that is too long or has no end is undefined, and the last one. */
function* linesOf(file: number): Generator<string | undefined> {
  const chunk = Buffer.alloc(CHUNK);
  let rest = Buffer.alloc(0);
  for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
    rest = Buffer.concat([rest, chunk.subarray(0, size)]);
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      yield rest.toString("utf8", 0, end);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > MAX_LINE) break;
  }
  if (rest.length > 0) yield undefined;
}

function* readChain(lines: Iterable<string | undefined>, counts: LogCounts): Generator<RecordedDecision> {
  let prev = NO_RECORD;
  for (const line of lines) {
    const record = line === undefined ? undefined : jsonIfValid(line);
    if (!isRecord(record) || record["prev"] !== prev || record["hash"] !== hashOf(record)) {
      counts.damaged++;
      return;
    }
    if (newerFormat(record) !== undefined) {
      counts.newer++;
      return;
    }
    prev = String(record["hash"]);
    counts.records++;
    const decision = asDecision(record);
    if (decision !== undefined) yield decision;
  }
}

function asDecision(record: Readonly<Record<string, unknown>>): RecordedDecision | undefined {
  const { time, tool, call, cwd, verdict, code } = record;
  const texts = [time, tool, call, cwd, verdict, code];
  if (!texts.every((value) => typeof value === "string")) return undefined;
  const [at = "", name = "", text = "", folder = "", said = "", why = ""] = texts;
  const { contained } = record;
  return {
    time: at,
    tool: name,
    cwd: folder,
    verdict: said,
    code: why,
    input: jsonIfValid(text),
    contained: typeof contained === "boolean" ? contained : undefined,
  };
}

const MAX_RECORDS = 20_000;

/** Whether a decision kept a shell command in this workspace from running unasked. */
export function wasHeld({ tool, cwd, verdict, code }: RecordedDecision, workspaceRoot: string): boolean {
  // What a person answered is logged again, as a decision of theirs.
  return (
    verdict !== "allow" && !code.startsWith("person-") && toolKind(tool) === "shell" && isBelow(cwd, workspaceRoot)
  );
}

/** The command that was asked about or denied last in a workspace, among the newest records. */
export function lastAsked(home: string, workspaceRoot: string): RecordedDecision | undefined {
  const counts = newCounts();
  let newest: RecordedDecision | undefined;
  for (const decision of readDecisions(home, counts)) {
    if (wasHeld(decision, workspaceRoot) && (newest === undefined || decision.time >= newest.time)) newest = decision;
    if (counts.records > MAX_RECORDS) break;
  }
  return newest;
}

/** The command of a recorded call; undefined when it was cut or contained a secret. What is beside it does not matter. */
export function recordedCommand({ input }: Pick<RecordedDecision, "input">): string | undefined {
  const command = input === undefined ? undefined : commandOf(input);
  return command?.includes("[redacted ") === true ? undefined : command;
}
