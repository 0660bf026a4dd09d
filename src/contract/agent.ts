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
