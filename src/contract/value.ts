import * as z from "zod";

/** An RFC 3339 timestamp, normalized to UTC with `Z` and 0, 3, 6 or 9 fractional digits, as the contract writes it. */
export const Timestamp = z.string().transform((text, context) => {
  const moment = normaliseTimestamp(text);
  if (moment !== undefined) return moment;
  context.addIssue({ code: "custom", message: "must be a time such as 2026-01-31T12:00:00Z" });
  return z.NEVER;
});
export type Timestamp = z.infer<typeof Timestamp>;

// Second 60 is a leap second and is kept.
const FORM =
  /^(?<date>\d{4}-\d\d-\d\d)[Tt ](?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)(?:\.(?<fraction>\d+))?(?:[Zz]|(?<sign>[+-])(?<hours>[01]\d|2[0-3]):?(?<minutes>[0-5]\d))$/;

function normaliseTimestamp(text: string): string | undefined {
  const parts = FORM.exec(text)?.groups ?? {};
  const { date = "", hour, minute, second, fraction = "", sign, hours = "0", minutes = "0" } = parts;
  const day = Date.parse(`${date}T00:00:00Z`);
  // A date that does not exist, such as 30 February, would silently become another one.
  if (Number.isNaN(day) || !new Date(day).toISOString().startsWith(date)) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  const utc = new Date(day + (Number(hour) * 60 + Number(minute) - offset) * 60_000).toISOString();
  // Years outside 0 to 9999 are formatted differently.
  return utc.length === 24 ? `${utc.slice(0, 17)}${second}${shortFraction(fraction)}Z` : undefined;
}

/** No fraction, milliseconds, microseconds or nanoseconds: the shortest that loses nothing. */
function shortFraction(digits: string): string {
  const nanoseconds = digits.slice(0, 9).padEnd(9, "0");
  const significant = nanoseconds.replace(/(?:000){1,3}$/, "");
  return significant === "" ? "" : `.${significant}`;
}

/** A UUID in any common spelling, normalized to lower case with hyphens. */
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

/** A count in the contract (u64), limited to what a JavaScript number represents exactly. `5.0` is not a count. */
export const Count = z.int().min(0);
export type Count = z.infer<typeof Count>;

const MAX_U64 = 18_446_744_073_709_551_615n;

/** A number as it was written, where a JavaScript number would lose its form. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** A count over the full u64 range: above 2^53 the token itself is kept. */
export const ExactCount = z.union([
  Count,
  z.custom<RawNumber>(
    (value) => JSON.isRawJSON(value) && /^\d{16,20}$/.test(value.rawJSON) && BigInt(value.rawJSON) <= MAX_U64,
    "must be a whole number of 0 or more",
  ),
]);
export type ExactCount = z.infer<typeof ExactCount>;

/** A number in the contract (f64), however its token was written. */
export const Decimal = z.preprocess((value) => (JSON.isRawJSON(value) ? Number(value.rawJSON) : value), z.number());
export type Decimal = z.infer<typeof Decimal>;

/** Any JSON value, kept as received, including number tokens (`parseExactJson`). Missing is not the same as null. */
export const Json = z.unknown().refine((value) => value !== undefined, "is missing");
export type Json = z.infer<typeof Json>;

/** Named JSON values, such as vendor additions. */
export const JsonObject = z
  .custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value),
    "must be an object",
  )
  .meta({ type: "object" });
export type JsonObject = z.infer<typeof JsonObject>;
