import type { ManagedSwitch } from "../contract/agent-install.ts";
import type { AgentName } from "../contract/agent.ts";
import { UserError } from "../lib/text/user-error.ts";
import { amplifierPack } from "./amplifier/pack.ts";
import { claudePack } from "./claude/pack.ts";
import { codexPack } from "./codex/pack.ts";
import { copilotPack } from "./copilot/pack.ts";
import { geminiPack } from "./gemini/pack.ts";
import type { AgentPack } from "./pack/agent-pack.ts";
import type { Agent } from "./pack/agent.ts";

/** Every agent that can be started, in the order used in all lists. To add an agent, add a line. */
export const PACKS: readonly AgentPack[] = [claudePack, copilotPack, codexPack, geminiPack, amplifierPack];

/** The agents that can be started, in the order used in all lists. */
export const AGENTS: readonly Agent[] = PACKS.map(({ program }) => program);

/** Every name that may be active. `native` is our own engine, not a program to start. */
export const isAgentName = (text: string): text is AgentName =>
  text === "native" || AGENTS.some(({ name }) => name === text);

/** The agent with that name. Throws a usage error that lists the others if there is none. */
export function agentNamed(name: string, where: string): Agent {
  const agent = AGENTS.find((candidate) => candidate.name === name);
  if (agent !== undefined) return agent;
  const others = AGENTS.map((candidate) => candidate.name).join(", ");
  const what = name === "native" ? "native is signalbox itself, not a separate program" : "unknown agent";
  throw new UserError(what, { where, fix: `use one of ${others}` });
}

/** The pack of the agent with that name, if there is one. */
export const findPack = (name: string): AgentPack | undefined => PACKS.find(({ program }) => program.name === name);

/** The administrator's file that would disable our hooks in this agent, if there is one. */
export function managedSwitch(agent: string, root = "/"): ManagedSwitch | undefined {
  return findPack(agent)?.managedSwitch?.(root);
}
