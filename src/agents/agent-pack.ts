import type { AgentHooks } from "../contract/agent-hooks.ts";
import type { AgentInstall, ManagedSwitch } from "../contract/agent-install.ts";
import type { Agent } from "./agent.ts";

/** Everything that only one agent needs, as data and pure functions. What is needed seldom is loaded when it is used. */
export interface AgentPack {
  readonly program: Agent;
  /** Undefined for an agent that has no hooks. Exported by the pack's `hooks.ts`: the hook bundle holds only that file. */
  readonly hooks?: AgentHooks;
  /** Undefined for an agent whose tool calls cannot be guarded. */
  readonly install?: () => Promise<AgentInstall>;
  /** The administrator's file that would keep our hooks out of this agent, if there is one. */
  readonly managedSwitch?: (root: string) => ManagedSwitch | undefined;
}
