import * as z from "zod";

/** The agents that signalbox can start by name. */
export const AgentName = z.enum(["claude", "copilot", "codex", "gemini", "amplifier", "native"]);

export type AgentName = z.infer<typeof AgentName>;

/** Which agent is active in a folder. A rejected source adds a warning, and the next source is tried. */
export const ActiveAgent = z.object({
  agent: AgentName,
  source: z.enum(["env", "file", "default"]),
  warnings: z.array(z.string()),
});

export type ActiveAgent = z.infer<typeof ActiveAgent>;

/** How a prompt is passed to an agent's process. */
export const Channel = z.enum(["argv", "tempfile", "stdin"]);

export type Channel = z.infer<typeof Channel>;

/** What the user can request. `auto` chooses by the size of the prompt. */
export const DeliveryMode = z.enum(["auto", ...Channel.options]);

export type DeliveryMode = z.infer<typeof DeliveryMode>;

/** How a prompt will be passed. `selected` is null exactly when `error` says why nothing will be started. */
export const DeliveryPlan = z.object({
  agent: AgentName,
  requested: DeliveryMode,
  selected: Channel.nullable(),
  warnings: z.array(z.string()),
  error: z.string().optional(),
});

export type DeliveryPlan = z.infer<typeof DeliveryPlan>;

/** The most a channel can carry. Codex counts characters, the others bytes. */
export const ChannelLimit = z.object({ unit: z.enum(["bytes", "characters"]), most: z.number().int() });

export type ChannelLimit = z.infer<typeof ChannelLimit>;

/**
 * `.claude/runtime/launcher_context.json`: which agent was started last in this repository.
 * `command` never contains a prompt. Readers ignore unknown fields.
 */
export const LauncherContext = z.object({
  launcher: AgentName,
  command: z.string(),
  timestamp: z.iso.datetime(),
  environment: z.record(z.string(), z.string()),
  pid: z.number().int(),
  signalbox: z.string(),
});

export type LauncherContext = z.infer<typeof LauncherContext>;
