import { resolveAgent } from "../agents/resolve.ts";
import type { CheckResult } from "./check.ts";

/** Which agent is active here, and which sources were rejected. */
export function checkActiveAgent(cwd: string, env: NodeJS.ProcessEnv): CheckResult {
  const { agent, source, warnings } = resolveAgent(cwd, env);
  const summary = [`${agent} (from ${source})`, ...warnings].join("; ");
  if (warnings.length === 0) return { id: "active-agent", status: "ok", summary };
  return {
    id: "active-agent",
    status: "warn",
    summary,
    fix: "fix what the warning says, or start an agent here once",
  };
}
