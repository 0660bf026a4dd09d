import * as z from "zod";
import { AgentName } from "./agent.ts";

/** A way for a prompt to reach an agent's process. */
export const Channel = z.enum(["argv", "tempfile", "stdin"]);
export type Channel = z.infer<typeof Channel>;

/** What a person may ask for. `auto` lets the size of the prompt decide. */
export const DeliveryMode = z.enum(["auto", ...Channel.options]);
export type DeliveryMode = z.infer<typeof DeliveryMode>;

/** How a prompt will travel. `selected` is null exactly when `error` says why nothing will be started. */
export const DeliveryPlan = z.object({
  agent: AgentName,
  requested: DeliveryMode,
  selected: Channel.nullable(),
  warnings: z.array(z.string()),
  error: z.string().optional(),
});
export type DeliveryPlan = z.infer<typeof DeliveryPlan>;

/** The most that a channel carries. Codex counts characters, the others bytes. */
export const ChannelLimit = z.object({ unit: z.enum(["bytes", "characters"]), most: z.number().int() });
export type ChannelLimit = z.infer<typeof ChannelLimit>;
