import * as z from "zod";

const Fields = z.record(z.string(), z.unknown());

/**
 * A receipt as a host sends it, used only for what the runtime cannot know itself. Any field may be missing, and each
 * part must pass its own schema before it is used.
 */
export const LooseReceipt = z.looseObject({
  meta: z.unknown().optional(),
  backend: z.unknown().optional(),
  capabilities: Fields.optional(),
  mode: z.unknown().optional(),
  usage_raw: z.unknown().optional(),
  usage: z.unknown().optional(),
  trace: z.array(z.unknown()).optional(),
  artifacts: z.array(z.unknown()).optional(),
  verification: z.unknown().optional(),
  outcome: z.unknown().optional(),
});
export type LooseReceipt = z.infer<typeof LooseReceipt>;
