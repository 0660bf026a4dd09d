import { AUTO_THRESHOLD, planDelivery, planFromTable, requestedMode } from "../../agents/deliver-prompt.ts";
import type { Agent } from "../../agents/pack/agent.ts";
import type { Channel, DeliveryMode } from "../../contract/agent.ts";

const LONG_PROMPT = { bytes: 65_536, characters: 65_536 };

/** How a long prompt would be delivered to each agent with the current setting. The same on every machine. */
export interface DeliveryReport {
  readonly requested: DeliveryMode;
  readonly thresholdBytes: number;
  readonly warnings: readonly string[];
  readonly agents: readonly AgentDelivery[];
}

interface AgentDelivery {
  readonly agent: string;
  readonly capabilities: readonly Channel[];
  readonly effective: Channel | null;
  readonly warnings: readonly string[];
  /** Set if a launch would fail instead. */
  readonly refused?: string;
}

export function reportDelivery(agents: readonly Agent[], env: NodeJS.ProcessEnv): DeliveryReport {
  const { mode, warnings } = requestedMode(env);
  return {
    requested: mode,
    thresholdBytes: AUTO_THRESHOLD,
    warnings,
    agents: agents.map((agent) => deliveryOf(agent, mode)),
  };
}

function deliveryOf(agent: Agent, mode: DeliveryMode): AgentDelivery {
  const table = planFromTable(agent, mode, LONG_PROMPT);
  const { error } = planDelivery(agent, mode, LONG_PROMPT);
  const capabilities = (["argv", "tempfile", "stdin"] as const).filter(
    (channel) => agent.channels[channel] !== undefined,
  );
  const { selected: effective, warnings } = table;
  return { agent: agent.name, capabilities, effective, warnings, ...(error === undefined ? {} : { refused: error }) };
}

/** The text that `doctor` prints. */
export function deliveryLines(report: DeliveryReport): string[] {
  return [
    "Prompt delivery",
    `  requested: ${report.requested}`,
    `  auto threshold: ${report.thresholdBytes} bytes`,
    ...report.warnings.map((warning) => `  warning: ${warning}`),
    ...report.agents.flatMap((agent) => [
      `  ${agent.agent}`,
      `    capabilities: ${agent.capabilities.join(", ")}`,
      `    used for a long prompt: ${agent.effective ?? "none"}`,
      ...agent.warnings.map((warning) => `    warning: ${warning}`),
      ...(agent.refused === undefined ? [] : [`    a launch would fail: ${agent.refused}`]),
    ]),
  ];
}
