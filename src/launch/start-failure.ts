import type { FoundBinary } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import { errorCode } from "../lib/error-code.ts";
import { shortageError } from "../lib/shortage-error.ts";
import { EXIT, UserError } from "../lib/user-error.ts";

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
