import * as z from "zod";

/** A count of the contract (u64), within what a JavaScript number holds exactly. `5.0` is no count. */
export const Count = z.int().min(0);
export type Count = z.infer<typeof Count>;

const MAX_U64 = 18_446_744_073_709_551_615n;

/** A count up to the whole u64: beyond 2^53 the token itself is kept. */
export const ExactCount = z.union([
  Count,
  z.custom<RawJSON>(
    (value) => JSON.isRawJSON(value) && /^\d{16,20}$/.test(value.rawJSON) && BigInt(value.rawJSON) <= MAX_U64,
    "must be a whole number from 0",
  ),
]);
export type ExactCount = z.infer<typeof ExactCount>;

/** A number of the contract (f64), however its token was written. */
export const Decimal = z.preprocess((value) => (JSON.isRawJSON(value) ? Number(value.rawJSON) : value), z.number());
export type Decimal = z.infer<typeof Decimal>;
