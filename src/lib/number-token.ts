/**
 * The value of a JSON number token, classified as in Rust's serde_json: integers within 64 bits, and floats.
 * A JavaScript number where that can be written back unchanged, otherwise the canonical token.
 */
export function readNumberToken(token: string): number | RawJSON {
  const value = Number(token);
  if (/^-?\d+$/.test(token) && token !== "-0") {
    if (Number.isSafeInteger(value)) return value;
    if (token.length <= MAX_DIGITS && fits(BigInt(token))) return JSON.rawJSON(token);
  }
  if (!Number.isFinite(value)) throw new SyntaxError("a number is out of range");
  return Number.isInteger(value) ? JSON.rawJSON(floatToken(value)) : value;
}

// Longer tokens are beyond 64 bits, and parsing millions of digits is slow.
const MAX_DIGITS = 20;
const LEAST_I64 = -(2n ** 63n);
const MAX_U64 = 2n ** 64n - 1n;
const fits = (whole: bigint) => whole >= LEAST_I64 && whole <= MAX_U64;

/**
 * A float as serde_json prints it: the fewest digits that round-trip, `.0` when whole, an exponent for very large or
 * small values.
 */
export function floatToken(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-5 || size >= 1e16)) return value.toExponential();
  return Number.isInteger(value) ? `${value}.0` : `${value}`;
}
