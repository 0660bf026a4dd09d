import { spawn } from "node:child_process";
import { join } from "node:path";
import { existsSync } from "node:fs";
import { homedir } from "node:os";

/** Turns a shell command into the argv that runs it somewhere. */
export type Prefix = (command: string) => readonly string[];

/** Runs it as an agent would without a sandbox. */
export const uncontained: Prefix = (command) => ["bash", "--norc", "--noprofile", "-c", command];

interface Place {
  readonly prefix: Prefix;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Ran {
  readonly code: number | null;
  /** stdout and stderr as they came. */
  readonly output: string;
}

const LIMIT_MS = 60_000;

/** Runs a command to its end, or until its output contains `until`. It is ended with all that it started. */
export async function runCommand(command: string, place: Place, until?: string): Promise<Ran> {
  const [program = "", ...args] = place.prefix(command);
  const child = spawn(program, args, {
    cwd: place.cwd,
    env: place.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const end = (signal: NodeJS.Signals) =>
    child.pid !== undefined && child.exitCode === null && process.kill(-child.pid, signal);
  const limit = setTimeout(() => end("SIGKILL"), LIMIT_MS);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => {
      output += bytes.toString();
      if (until !== undefined && output.includes(until)) end("SIGTERM");
    });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  clearTimeout(limit);
  return { code, output };
}

/** The environment of both runs: a throw-away home, and where the tools of the real one are. */
export function environmentOf(home: string): NodeJS.ProcessEnv {
  const rustup = process.env["RUSTUP_HOME"] ?? join(homedir(), ".rustup");
  return {
    PATH: process.env["PATH"],
    HOME: home,
    USER: "ann",
    LANG: "C.UTF-8",
    // Without these the programs look for updates of themselves.
    npm_config_update_notifier: "false",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    // A distribution's pip installs into the throw-away home only when it is told to.
    PIP_BREAK_SYSTEM_PACKAGES: "1",
    GH_NO_UPDATE_NOTIFIER: "1",
    GOFLAGS: "-mod=mod",
    ...(existsSync(rustup) ? { RUSTUP_HOME: rustup } : {}),
  };
}
