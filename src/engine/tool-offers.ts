import * as z from "zod";
import type { Tool } from "../contract/tool.ts";
import type { ToolOffer } from "../models/model.ts";

/** The tools of one turn: as a model sees them, and by name. */
export interface OfferedTools {
  readonly offers: readonly ToolOffer[];
  readonly byName: ReadonlyMap<string, Tool>;
}

/**
 * Offers tools in the order in which each was first seen, because they are the start of what a provider caches. Where
 * two have one name, the first is offered.
 */
export function toolOffers(tools: () => readonly Tool[]): () => OfferedTools {
  const known = new Map<Tool, ToolOffer>();
  const places = new Map<string, number>();
  return () => {
    const byName = new Map<string, Tool>();
    for (const tool of tools()) {
      if (byName.has(tool.name)) continue;
      byName.set(tool.name, tool);
      if (!places.has(tool.name)) places.set(tool.name, places.size);
      if (!known.has(tool)) known.set(tool, offerOf(tool));
    }
    const sorted = [...byName].toSorted(([one], [other]) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
    return { offers: sorted.flatMap(([, tool]) => known.get(tool) ?? []), byName };
  };
}

const offerOf = ({ name, description, input, inputSchema }: Tool): ToolOffer => ({
  name,
  description,
  schema: inputSchema ?? schemaOf(input),
});

function schemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", target: "draft-7" });
  return schema;
}
