import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, lstatSync } from "node:fs";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { findProgram } from "../../lib/path/find-program.ts";
import { safePath } from "../../lib/path/inside.ts";
import { errorCode } from "../../lib/text/user-error.ts";

interface Search {
  readonly program: string;
  readonly options: readonly string[];
  /** What is searched; ripgrep starts there. */
  readonly target: string;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Examines each record; returns false when it has seen enough. */
  readonly onRecord: (record: string) => boolean;
  /** What ends a record. */
  readonly separator: "\n" | "\0";
}

export interface SearchEnd {
  readonly stopped: "done" | "enough" | "too long";
}

const MAX_MS = 30_000;

const MAX_RECORD = 1024 * 1024;

/** Nothing except the arguments may affect a search. */
const FIXED = ["--no-config", "--color=never", "--no-messages", "--hidden"];

/** Later globs win, so these follow those of the search. */
const NEVER = ["--glob=!.git", "--glob=!.hg", "--glob=!.svn"];

/**
 * Runs ripgrep and passes on its records one by one. Throws when it cannot be started, and with ripgrep's message when
 * it rejects the pattern.
 */
export async function runRipgrep(search: Search): Promise<SearchEnd> {
  const { signal, onRecord, separator } = search;
  signal.throwIfAborted();
  const child = await start(search);
  const limit = AbortSignal.timeout(MAX_MS);
  const stop = (): void => void child.kill("SIGKILL");
  const either = AbortSignal.any([signal, limit]);
  either.addEventListener("abort", stop, { once: true });
  const closed = once(child, "close");
  // Both are awaited only after the output.
  closed.catch(() => {});
  const complaint = text(child.stderr);
  complaint.catch(() => {});
  let enough = false;
  let rest = "";
  try {
    signal.throwIfAborted();
    for await (const chunk of child.stdout.setEncoding("utf8")) {
      const records = (rest + String(chunk)).split(separator);
      rest = records.pop() ?? "";
      if (rest.length > MAX_RECORD) rest = rest.slice(0, MAX_RECORD);
      enough = records.some((record) => !onRecord(record));
      if (enough) break;
    }
    if (enough) stop();
    const [code, endedBy] = await closed;
    signal.throwIfAborted();
    if (code === null && !enough && !limit.aborted) throw new Error(`ripgrep was ended by ${endedBy}`);
    const words = (await complaint).trim();
    // Without a message it only met unreadable files, or a pipe that we closed.
    if (code === 2 && !enough && words !== "") throw new Error(words);
    return { stopped: enough ? "enough" : limit.aborted ? "too long" : "done" };
  } finally {
    either.removeEventListener("abort", stop);
    stop();
  }
}

/** Some start failures are thrown, some are reported later, and after some the child has no streams. */
async function start({
  program,
  options,
  target,
  folder,
}: Search): Promise<ChildProcessByStdio<null, Readable, Readable>> {
  try {
    const child = spawn(program, [...FIXED, ...options, ...NEVER, "--", target], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {},
    });
    await once(child, "spawn");
    return child;
  } catch (error) {
    throw new Error(`ripgrep could not be started in ${folder}: ${errorCode(error) ?? String(error)}`, {
      cause: error,
    });
  }
}

/** One record of ripgrep's `--null` output: `NAME NUL TEXT`. */
interface SearchRecord {
  /** The file it refers to. Several when the name is ambiguous; none when it cannot be read. */
  readonly files: readonly string[];
  readonly text: string;
}

interface SearchRecords {
  /** Takes the next line of output; returns undefined while a record is incomplete. */
  readonly take: (line: string) => SearchRecord | undefined;
  /** Whether ripgrep reported matches in a binary file. */
  readonly metBinary: () => boolean;
}

/**
 * Assembles the lines of a search below `target` into records. A name may contain line feeds, and messages without a
 * NUL appear between records, so the start of a name can be ambiguous. The true name is always among `files`.
 */
export function recordReader(target: string): SearchRecords {
  let pending: string[] = [];
  let metBinary = false;
  return {
    take(line) {
      const end = line.indexOf("\0");
      if (end === -1) {
        metBinary ||= BINARY.test(line);
        pending.push(line);
        return undefined;
      }
      const lines = [...pending, line.slice(0, end)];
      pending = [];
      return { files: possibleNames(lines, target), text: line.slice(end + 1) };
    },
    metBinary: () => metBinary,
  };
}

const BINARY = /: (?:binary file matches|WARNING: stopped searching binary file after match) \(found /;

/** No system can open a longer path. */
const MAX_NAME = 4096;

function possibleNames(lines: readonly string[], target: string): readonly string[] {
  const below = target.endsWith("/") ? target : `${target}/`;
  const names: string[] = [];
  let name: string | undefined;
  for (const line of lines.toReversed()) {
    name = name === undefined ? line : `${line}\n${name}`;
    if (name.length > MAX_NAME) break;
    if (name === target || name.startsWith(below)) names.push(name);
  }
  return lines.length === 1 ? names : names.filter(exists);
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    // Too long for a name, or below something that is not a folder: not a file either way.
    return false;
  }
}

/** The ripgrep from our packages, or else one on PATH outside the workspace. */
export async function findRipgrep(workspace: string, path = process.env["PATH"] ?? ""): Promise<string> {
  const own = await ownRipgrep();
  const found = own !== undefined && runs(own) ? own : findProgram("rg", safePath({ PATH: path }, workspace));
  if (found !== undefined) return found;
  throw new Error(
    "ripgrep is missing: its package for this system was not installed (npm ci without --omit=optional), and there is no rg on PATH",
  );
}

async function ownRipgrep(): Promise<string | undefined> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    // Installed without optional packages.
    return undefined;
  }
}

function runs(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
