import * as z from "zod";

/** A UUID in any of its usual spellings; always read into lower case with hyphens. */
export const Uuid = z
  .string()
  .regex(
    /^(?:urn:uuid:)?(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$|^\{[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}$/i,
    "must be a UUID",
  )
  .transform((text) =>
    text
      .toLowerCase()
      .replace(/^urn:uuid:|[-{}]/g, "")
      .replaceAll("-", "")
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
  );
export type Uuid = z.infer<typeof Uuid>;

/** SHA-256 in lower-case hexadecimal. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hexadecimal");
export type Sha256 = z.infer<typeof Sha256>;
