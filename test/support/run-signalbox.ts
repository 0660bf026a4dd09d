import { type ChildProcess, spawn } from "node:child_process";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { compileWithoutSandbox } from "./without-sandbox.ts";
import { tempFolder } from "./temp-folder.ts";

export const PROJECT = join(import.meta.dirname, "../..");
export const SIGNALBOX = join(PROJECT, "bin/signalbox");

const homes = new Map<string, string>();

/** One home for the runs of a test that do not bring their own: a test leaves nothing in the person's. */
function emptyHome(): string {
  const { testPath, currentTestName } = expect.getState();
  const test = `${testPath} ${currentTestName}`;
  const home = homes.get(test) ?? tempFolder();
  homes.set(test, home);
  onTestFinished(() => void homes.delete(test));
  return home;
}

interface Options {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Written to stdin, then stdin is closed. Without it stdin is /dev/null. */
  readonly input?: string | Buffer;
  /** Leaves stdin an open, empty pipe until this settles. */
  readonly keepStdinOpen?: Promise<void>;
  /** Words in front of the program, which start it. */
  readonly wrapper?: readonly string[];
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

function argvOf(args: readonly string[], { wrapper = [], reader }: Options): readonly string[] {
  const argv = [...wrapper, SIGNALBOX, ...args];
  return reader === undefined ? argv : ["bash", "-c", `"$@" | ${reader}; exit "\${PIPESTATUS[0]}"`, "bash", ...argv];
}

/** Runs the real program as a person would, with exactly the given environment beside PATH and HOME. */
export async function signalbox(args: readonly string[], options: Options = {}): Promise<Outcome> {
  compileWithoutSandbox(options.env?.["HOME"], options.cwd ?? PROJECT);
  const [program = "", ...words] = argvOf(args, options);
  const child = spawn(program, words, {
    cwd: options.cwd ?? PROJECT,
    env: { PATH: process.env["PATH"], HOME: options.env?.["HOME"] ?? emptyHome(), ...options.env },
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
