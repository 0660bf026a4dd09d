import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import type { AgentInstall, AgentStart } from "../../contract/agent-install.ts";
import { isInside } from "../../lib/inside.ts";
import { unsafeWorkspace } from "../../lib/unsafe-workspace.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import type { GuardedStart } from "./guarded-start.ts";

interface Places {
  readonly workspace: string;
  /** The private folder of this run, and the user's signalbox folder. */
  readonly folder: string;
  readonly home: string;
}

/** Refuses a workspace that is too broad, or in which the agent could change the guard's own files. */
export function refuseUnsafe({ workspace, folder, home }: Places): void {
  const wide = unsafeWorkspace(workspace, homedir());
  if (wide !== undefined)
    throw new UserError(wide, {
      where: workspace,
      fix: "start the agent in a project folder, or use --unguarded",
      exitCode: EXIT.refused,
    });
  const own = [realpathSync(folder), existsSync(home) ? realpathSync(home) : home];
  const inside = own.find((place) => isInside(place, workspace));
  if (inside !== undefined)
    throw new UserError("signalbox's own files would be inside the workspace, where the agent can change them", {
      where: inside,
      fix: "set SIGNALBOX_HOME to a folder outside the workspace, or unset it",
      exitCode: EXIT.refused,
    });
}

interface Rewriting extends Pick<AgentStart, "flags" | "env" | "cwd" | "workspace" | "interactive"> {
  readonly order: GuardedStart["order"];
  readonly agent: { readonly name: string; readonly title: string };
  /** The sandbox level. */
  readonly level: string;
}

/**
 * A sandbox rewrites every command before the agent's own rules see it, so those rules would never match. Refuses a start
 * with such rules, and an unattended start of an agent that would reject every rewritten command.
 */
export function refuseRewriting(
  { ownRule, refusesRewritten = false }: Pick<AgentInstall, "ownRule" | "refusesRewritten">,
  { level, agent, ...start }: Rewriting,
): void {
  const setting = `sandbox: ${level}`;
  const found = ownRule(start);
  if (found !== undefined)
    throw new UserError(`your rule ${found.rule} would not apply with ${setting}, which rewrites every command`, {
      where: found.where,
      fix: `set "sandbox: off" in the policy, or move the rule into the policy and out of ${found.where}`,
    });
  // A run passes its own list of tools, which allows what the guard allows.
  if (refusesRewritten && !start.interactive && start.order === undefined)
    throw new UserError(`${agent.title} without a terminal would refuse every command that ${setting} rewrites`, {
      where: "the sandbox setting of the policy",
      fix: `set "sandbox: off" in the policy, start it on a terminal, or use: signalbox run ${agent.name}`,
    });
}
