import { AGENT_VARIABLES, resolveAgent } from "../agents/resolve.ts";
import type { CheckResult } from "./check.ts";

/** Which agent is active here, which sources were rejected, and what `run` uses when it is not installed. */
export function checkActiveAgent(cwd: string, env: NodeJS.ProcessEnv, agents: readonly CheckResult[]): CheckResult {
  const id = "active-agent";
  const { agent, source, warnings } = resolveAgent(cwd, env);
  const installed = agents.filter(({ status }) => status === "ok" || status === "warn").map((check) => agentOf(check));
  const missing = agent !== "native" && !installed.includes(agent);
  const others = source === "env" || installed[0] === undefined ? "" : `, so run uses ${installed[0]}`;
  const summary = [`${agent} (from ${source})${missing ? `; it is not installed${others}` : ""}`, ...warnings].join(
    "; ",
  );
  const facts = { agent, source };
  if (warnings.length > 0)
    return { id, status: "warn", summary, facts, fix: "fix what the warning says, or start an agent here once" };
  if (missing && source === "env" && installed[0] !== undefined)
    return { id, status: "warn", summary, facts, fix: `install ${agent}, or change ${AGENT_VARIABLES[0]}` };
  return { id, status: "ok", summary, facts };
}

/** The agent that a check is about. */
export const agentOf = ({ id }: Pick<CheckResult, "id">) => id.slice(id.indexOf(".") + 1);
