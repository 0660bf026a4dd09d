import * as z from "zod";

/** How much a model should think before it answers. `max`: as much as it can. */
export const Effort = z.enum(["low", "medium", "high", "max"]);
export type Effort = z.infer<typeof Effort>;
