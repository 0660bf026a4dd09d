import * as z from "zod";
import type { Tool } from "../contract/tool.ts";
import type { ToolOffer } from "../models/model.ts";

/** The tools as a model sees them, in the same order every time: a provider's cache begins with them. */
export function toolOffers(tools: readonly Tool[]): readonly ToolOffer[] {
  return tools.map(({ name, description, input, inputSchema }) => ({
    name,
    description,
    schema: inputSchema ?? schemaOf(input),
  }));
}

function schemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", target: "draft-7" });
  return schema;
}
