import { sortedJson } from "./json-value.ts";
import { jsonDepth, parseJson, readValidJson } from "./parse-json.ts";

/** Maximum bracket nesting, as in serde_json. */
const DEEPEST = 127;

/**
 * Parses JSON and preserves how numbers were written: 1 and 1.0 stay different, and so do whole numbers beyond
 * 2^53. Such numbers become `RawJSON`, which `JSON.stringify` writes unchanged. Lone surrogates are rejected.
 */
export function parseExactJson(text: string): unknown {
  if (jsonDepth(text) > DEEPEST) throw new SyntaxError(`nested more than ${DEEPEST} levels deep`);
  try {
    const value = parseJson(text);
    return NEEDS_CARE.test(text) ? readValidJson(text, keepExact) : value;
  } catch (error) {
    // The engine's error quotes the text, which may contain a secret, so it is not kept as the cause.
    const position = error instanceof Error ? / at position \d+/.exec(error.message)?.[0] : undefined;
    if (position === undefined && error instanceof SyntaxError && !/JSON/.test(error.message)) throw error;
    throw new SyntaxError(`not valid JSON${position ?? ""}`);
  }
}

/**
 * Matches texts with a number that could lose its form, or an escaped surrogate; all others take the fast path. A
 * fraction with at most seven digits before and eight after the point is preserved, unless the fraction is all zeros.
 */
const NEEDS_CARE =
  /(?:^|[[,\s]|["\s]:)(?:-0|-?\d{16}|-?\d{8,}\.|-?\d+\.(?:0+(?!\d)|\d{9})|-?\d+(?:\.\d+)?[eE])|\\u[dD][89a-fA-F]/;

function keepExact(value: string | number, token: string): unknown {
  if (typeof value === "number") return readNumberToken(token);
  if (!value.isWellFormed()) throw new SyntaxError("unpaired surrogate in a string");
  return value;
}

/**
 * The canonical text of a JSON value: no whitespace, keys sorted by UTF-8 bytes, numbers as serde_json prints them.
 * Undefined fields are omitted; a lone surrogate becomes the replacement character.
 */
export const exactJson = (value: unknown): string => sortedJson(value, exactText, compareBytes);

function exactText(value: unknown): string | undefined {
  if (typeof value === "string") return JSON.stringify(value.toWellFormed());
  if (typeof value === "number") return numberText(value);
  if (JSON.isRawJSON(value)) return value.rawJSON;
  return typeof value === "object" && value !== null ? undefined : (JSON.stringify(value) ?? "null");
}

/** As if the number had been written by `JSON.stringify` and parsed again, so that both paths give the same text. */
function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return `${value + 0}`;
  if (!Number.isFinite(value)) return "null";
  if (!Number.isInteger(value)) return floatToken(value);
  const token = readNumberToken(JSON.stringify(value));
  return typeof token === "number" ? floatToken(token) : token.rawJSON;
}

/** UTF-8 byte order equals code point order; UTF-16 code unit order differs only for surrogates. */
function compareBytes(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return one.length - other.length;
}

const rank = (unit: number) => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit);

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
