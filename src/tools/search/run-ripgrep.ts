import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { errorCode } from "../../lib/error-code.ts";

export interface Search {
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
