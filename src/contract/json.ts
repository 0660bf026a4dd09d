import * as z from "zod";

/** Any JSON value, kept as it came, number tokens included (`parseExactJson`). Missing is not null. */
export const Json = z.unknown().refine((value) => value !== undefined, "is missing");
export type Json = z.infer<typeof Json>;

/** Named JSON values, such as what a vendor adds. */
export const JsonObject = z
  .custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value),
    "must be an object",
  )
  .meta({ type: "object" });
export type JsonObject = z.infer<typeof JsonObject>;
