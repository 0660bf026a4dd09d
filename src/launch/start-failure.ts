import type { Agent } from "../agents/agent.ts";
import type { FoundBinary } from "../agents/find-binary.ts";
import { errorCode } from "../lib/error-code.ts";
import { shortageError } from "../lib/shortage-error.ts";
import { EXIT, UserError } from "../lib/user-error.ts";

/** Why a program that was found could not be started, in words. */
export function startFailure(agent: Agent, binary: FoundBinary, cause: unknown): UserError {
  const code = errorCode(cause) ?? "unknown error";
  const shortage = shortageError(cause);
  const other = { what: `it could not be started (${code})`, fix: `install it again: ${agent.install}` };
  const { what, fix } = WORDS[code] ?? (shortage && { what: shortage.message, fix: shortage.fix }) ?? other;
  return new UserError(`${agent.title}: ${what}`, { where: binary.path, fix, exitCode: EXIT.notRunnable, cause });
}

const WORDS: Record<string, { what: string; fix: string }> = {
  E2BIG: {
    what: "arguments and environment together are too long for this system",
    fix: "give the prompt with --prompt-file, or make the environment smaller",
  },
  ENOENT: {
    what: "its script names an interpreter that is not there, or the folder to start in is gone",
    fix: "check the first line of the script and the current folder",
  },
  EACCES: { what: "the system does not let it run", fix: "check its permissions and the mount options of its disk" },
};
