import { type ChildProcess, spawn } from "node:child_process";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const PROJECT = join(import.meta.dirname, "..");
export const SIGNALBOX = join(PROJECT, "bin/signalbox");

/** One home for the runs of a test file that do not bring their own: a test leaves nothing in the person's. */
function emptyHome(): string {
  home ??= mkdtempSync(join(tmpdir(), "signalbox-test-home-"));
  return home;
}

let home: string | undefined;
process.on("exit", () => home !== undefined && rmSync(home, { recursive: true, force: true }));

interface Options {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Written to stdin, then stdin is closed. Without it stdin is /dev/null. */
  readonly input?: string | Buffer;
  /** Leaves stdin an open, empty pipe until this settles. */
  readonly keepStdinOpen?: Promise<void>;
  /** Another program reads the output, as in `signalbox … | head -1`; the outcome's stdout is then that program's. */
  readonly reader?: string;
  /** Called once the process runs. */
  readonly during?: (child: ChildProcess) => Promise<void> | void;
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real program as a person would, with exactly the given environment beside PATH and HOME. */
export async function signalbox(args: readonly string[], options: Options = {}): Promise<Outcome> {
  const piped = ["-c", `"$@" | ${options.reader ?? "cat"}; exit "\${PIPESTATUS[0]}"`, "bash", SIGNALBOX, ...args];
  const [program, words] = options.reader === undefined ? [SIGNALBOX, args] : ["bash", piped];
  const child = spawn(program, words, {
    cwd: options.cwd ?? PROJECT,
    env: { PATH: process.env["PATH"], HOME: emptyHome(), ...options.env },
    stdio: [options.input === undefined && options.keepStdinOpen === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  child.stdin?.on("error", () => {});
  void (options.keepStdinOpen ?? Promise.resolve()).then(() => child.stdin?.end(options.input));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const output = Promise.all([text(child.stdout ?? Readable.from([])), text(child.stderr ?? Readable.from([]))]);
  await options.during?.(child);
  const [stdout, stderr] = await output;
  return { code: await ended, stdout, stderr };
}
