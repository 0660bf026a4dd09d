import { UserError } from "../../lib/user-error.ts";
import { ownRule } from "./own-rules.ts";
import type { GuardedStart } from "./prepare.ts";

interface Rewriting extends Pick<GuardedStart, "agent" | "flags" | "env" | "cwd" | "interactive" | "order"> {
  readonly workspace: string;
  /** The level of the sandbox. */
  readonly level: string;
}

/**
 * In a sandbox every command is rewritten before the agent's own rules look at it, and then they match nothing. So a start
 * with such rules is refused, and so is Claude Code without a person: it would refuse each rewritten command.
 */
export function refuseRewriting({ level, ...start }: Rewriting): void {
  const setting = `sandbox: ${level}`;
  const found = ownRule(start.agent, start);
  if (found !== undefined)
    throw new UserError(`your own rule ${found.rule} would not hold under ${setting}, which rewrites every command`, {
      where: found.where,
      fix: `set "sandbox: off" in the policy, or move the rule into the policy and out of ${found.where}`,
    });
  // A run passes its own list of tools, which allows what the guard allows.
  if (start.agent === "claude" && !start.interactive && start.order === undefined)
    throw new UserError(`Claude Code without a terminal would refuse every command that ${setting} rewrites`, {
      where: "the sandbox setting of the policy",
      fix: 'set "sandbox: off" in the policy, start it on a terminal, or use: signalbox run claude',
    });
}
