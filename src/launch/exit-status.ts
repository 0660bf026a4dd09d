import { constants } from "node:os";
import type { FoundBinary } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import { errorCode, EXIT, shortageError, UserError } from "../lib/text/user-error.ts";

/** How a child ended. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * The exit status to report for an agent. A signal is 128+n and never 0. Agents that are asked to stop often exit with
 * 0; in that case, the signal we received counts.
 */
export function exitStatus(end: ChildEnd, received: NodeJS.Signals | undefined): number {
  if (end.signal !== null) return signalStatus(end.signal);
  if (end.code === null) return signalStatus("SIGKILL");
  return end.code === 0 && received !== undefined ? signalStatus(received) : end.code;
}

const signalStatus = (signal: NodeJS.Signals) => 128 + (constants.signals[signal] ?? constants.signals.SIGKILL);

/** Explains why a program that was found could not be started. */
export function startFailure(agent: Agent, binary: FoundBinary, cause: unknown): UserError {
  const code = errorCode(cause) ?? "unknown error";
  const shortage = shortageError(cause);
  const other = { what: `could not be started (${code})`, fix: `reinstall it: ${agent.install}` };
  const { what, fix } = WORDS[code] ?? (shortage && { what: shortage.message, fix: shortage.fix }) ?? other;
  return new UserError(`${agent.title}: ${what}`, { where: binary.path, fix, exitCode: EXIT.notRunnable, cause });
}

const WORDS: Record<string, { what: string; fix: string }> = {
  E2BIG: {
    what: "arguments and environment together exceed the system limit",
    fix: "pass the prompt with --prompt-file, or reduce the environment",
  },
  ENOENT: {
    what: "its script's interpreter, or the folder to start in, does not exist",
    fix: "check the first line of the script and the current folder",
  },
  EACCES: { what: "permission denied", fix: "check its permissions and the mount options" },
};
