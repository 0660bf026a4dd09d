import type { Agent } from "./agent.ts";

/** Everything that only one agent needs, as data and pure functions. What is needed seldom is loaded when it is used. */
export interface AgentPack {
  readonly program: Agent;
}
