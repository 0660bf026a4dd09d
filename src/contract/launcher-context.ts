import * as z from "zod";
import { AgentName } from "./agent.ts";

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
