import type { Channel, ChannelLimit, DeliveryMode, DeliveryPlan } from "../contract/delivery.ts";
import type { Agent } from "./pack/agent.ts";

/** In `auto` mode, a prompt of at most this many bytes is passed in argv. */
export const AUTO_THRESHOLD = 4096;

const DELIVERY_VARIABLES = ["SIGNALBOX_PROMPT_DELIVERY", "AMPLIHACK_PROMPT_DELIVERY"] as const;

const MODES = ["auto", "argv", "tempfile", "stdin"] as const satisfies readonly DeliveryMode[];

/** The channels to try for each request, in order. A request for stdin never becomes a file. */
const ORDER: Record<Channel, readonly Channel[]> = {
  argv: ["argv", "tempfile", "stdin"],
  tempfile: ["tempfile", "stdin", "argv"],
  stdin: ["stdin", "argv"],
};

export interface PromptSize {
  readonly bytes: number;
  readonly characters: number;
}

/** The mode that the environment requests. An unknown one means `auto`, with a warning. */
export function requestedMode(env: NodeJS.ProcessEnv): { mode: DeliveryMode; warnings: string[] } {
  const variable = DELIVERY_VARIABLES.find((name) => (env[name] ?? "").trim() !== "");
  if (variable === undefined) return { mode: "auto", warnings: [] };
  const mode = parseMode(env[variable] ?? "");
  if (mode !== undefined) return { mode, warnings: [] };
  return { mode: "auto", warnings: [`${variable} is set to an unknown mode; using auto (known: ${MODES.join(", ")})`] };
}

/** Parses a mode, ignoring case; undefined if it is unknown. */
export function parseMode(text: string): DeliveryMode | undefined {
  const wanted = text.trim().toLowerCase();
  return MODES.find((mode) => mode === wanted);
}

/** How a prompt of this size is passed to the agent. Pure: the same for a launch, `prompt-plan` and `doctor`. */
export function planDelivery(agent: Agent, requested: DeliveryMode, size: PromptSize): DeliveryPlan {
  const plan = planFromTable(agent, requested, size);
  const refused = agent.refusedModes;
  if (requested === "auto" || refused === undefined || !refused.modes.includes(requested)) return plan;
  const error = `${agent.name} refuses ${requested} delivery: ${refused.because}; use auto or argv`;
  return { ...plan, selected: null, warnings: [], error };
}

/** The plan from the table, ignoring the agent's refused modes. `doctor` shows both. */
export function planFromTable(agent: Agent, requested: DeliveryMode, size: PromptSize): DeliveryPlan {
  const order = requested === "auto" ? ORDER[size.bytes <= AUTO_THRESHOLD ? "argv" : "tempfile"] : ORDER[requested];
  const supported = order.filter((channel) => agent.channels[channel] !== undefined);
  const refuse = (error: string): DeliveryPlan => ({
    agent: agent.name,
    requested,
    selected: null,
    warnings: [],
    error,
  });

  if (requested !== "auto" && supported[0] === requested && !fits(agent, requested, size)) {
    return refuse(`${requested} cannot deliver this prompt: ${limitsOf(agent, [requested])}; ${otherWay(agent, size)}`);
  }
  const selected = supported.find((channel) => fits(agent, channel, size));
  if (selected === undefined)
    return refuse(`no delivery mode can carry this prompt: ${limitsOf(agent, supported)}; ${otherWay(agent, size)}`);

  const degraded = requested !== "auto" && selected !== requested;
  const warnings = degraded ? [`requested ${requested} is unsupported by ${agent.name}; using ${selected}`] : [];
  return { agent: agent.name, requested, selected, warnings };
}

function fits(agent: Agent, channel: Channel, size: PromptSize): boolean {
  const limit = agent.channels[channel]?.limit;
  return limit !== undefined && size[limit.unit] <= limit.most;
}

function limitsOf(agent: Agent, channels: readonly Channel[]): string {
  const describe = (channel: Channel, limit: ChannelLimit | undefined) =>
    `${agent.name} accepts at most ${limit?.most.toLocaleString("en")} ${limit?.unit} by ${channel}`;
  return channels.map((channel) => describe(channel, agent.channels[channel]?.limit)).join(", ");
}

function otherWay(agent: Agent, size: PromptSize): string {
  const channel = ORDER.tempfile.find((candidate) => fits(agent, candidate, size));
  return channel === undefined ? "shorten it, or put it in a file and mention that file" : `use ${channel} or auto`;
}
