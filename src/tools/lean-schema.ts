import * as z from "zod";
import { isRecord } from "../lib/is-record.ts";

/** Words of a schema that a model does not need: what breaks them is answered with a sentence anyway. */
const DROPPED = new Set(
  "$schema additionalProperties minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems pattern default".split(
    " ",
  ),
);

/** The JSON Schema of an input with only what tells a model how to call. It is sent with every request, so bytes count. */
export function leanSchema(input: z.ZodType): Readonly<Record<string, unknown>> {
  return lean(z.toJSONSchema(input, { io: "input", target: "draft-7" }));
}

function lean(schema: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !DROPPED.has(key))
      .map(([key, value]) => [key, key === "properties" ? eachProperty(value) : isRecord(value) ? lean(value) : value]),
  );
}

/** The names of properties are the tool's own, whatever they are. */
const eachProperty = (properties: object) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, isRecord(schema) ? lean(schema) : schema]),
  );
