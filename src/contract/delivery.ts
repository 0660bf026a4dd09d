import * as z from "zod";
import { AgentName } from "./agent.ts";

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
