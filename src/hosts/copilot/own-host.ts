import type { AcpTurn } from "../acp/acp.ts";
import type { AgentStarter } from "../program/start-agent.ts";

// The agent whose host is more than a record reader, under names that say nothing of it. It is loaded when it is used.

export const OWN_HOST = "copilot";

export async function openOwnHost(env: NodeJS.ProcessEnv, starter: AgentStarter) {
  const { copilotCapabilities, copilotHost } = await import("./copilot.ts");
  const { COPILOT_BACKEND, copilotSettings } = await import("./settings.ts");
  const capabilities = copilotCapabilities(copilotSettings(env), starter.holds);
  return { backend: COPILOT_BACKEND, capabilities, openHost: copilotHost(env, starter) };
}

/** Whether the environment says how to reach the agent without its own program. */
export const isReachable = async (env: NodeJS.ProcessEnv) => (await import("./settings.ts")).reachesCopilot(env);

/** Extra options for the agent when connected over ACP. */
export async function ownAcpOptions(env: NodeJS.ProcessEnv) {
  const { copilotError } = await import("./copilot-acp.ts");
  return { ownError: (turn: AcpTurn) => copilotError(turn, env), shell: "bash" as const };
}
