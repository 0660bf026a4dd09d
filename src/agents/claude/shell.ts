import { accessSync, constants, realpathSync } from "node:fs";
import { isInside } from "../../lib/inside.ts";
import { isRecord } from "../../lib/is-record.ts";
import { systemProgram } from "../../lib/system-program.ts";
import { claudeManagedSettings } from "./managed.ts";

/** Claude Code's variable for its shell. In a launch's settings it overrides SHELL and everything but managed settings. */
export const SHELL_VARIABLE = "CLAUDE_CODE_SHELL";

/**
 * The bash that a launch makes Claude Code use: the rules read commands as bash does, and it would use SHELL otherwise.
 * Undefined when the system has none that it would accept, or an administrator has chosen another shell.
 */
export function claudeShell(workspace: string, root = "/"): string | undefined {
  const bash = systemProgram("bash");
  if (bash === undefined || !isRunnable(bash) || isInside(realpathSync(bash), workspace)) return undefined;
  const chosen = claudeManagedSettings(root).some(({ settings }) => {
    const { env } = settings;
    return isRecord(env) && env[SHELL_VARIABLE] !== undefined;
  });
  return chosen ? undefined : bash;
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
