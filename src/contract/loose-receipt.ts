import * as z from "zod";

const Fields = z.record(z.string(), z.unknown());

/**
 * A receipt as a host sends it: read only for what the runtime cannot know itself. Everything may be missing, and
 * nothing in it is believed before it was parsed by the schema of its part.
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
