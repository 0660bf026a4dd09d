import { jsonDepth } from "./json-depth.ts";
import { floatToken, readNumberToken } from "./number-token.ts";
import { parseJson } from "./parse-json.ts";
import { readValidJson } from "./read-valid-json.ts";

/** Brackets may nest this deep, as in serde_json. */
const DEEPEST = 127;

/**
 * Parses JSON without forgetting how numbers were written: 1 and 1.0 stay different, and so do whole numbers beyond
 * 2^53. Such numbers become `RawJSON`, which `JSON.stringify` writes as it was. Half a surrogate pair is refused.
 */
export function parseExactJson(text: string): unknown {
  if (jsonDepth(text) > DEEPEST) throw new SyntaxError(`nested more than ${DEEPEST} levels deep`);
  try {
    const value = parseJson(text);
    return NEEDS_CARE.test(text) ? readValidJson(text, keepExact) : value;
  } catch (error) {
    // The engine's own error quotes the text, which may hold a secret: it is no cause to keep.
    const position = error instanceof Error ? / at position \d+/.exec(error.message)?.[0] : undefined;
    if (position === undefined && error instanceof SyntaxError && !/JSON/.test(error.message)) throw error;
    throw new SyntaxError(`not valid JSON${position ?? ""}`);
  }
}

/**
 * Texts with a number that could lose its form, or an escaped surrogate; others take the fast way. A fraction of at most
 * eight digits behind at most seven stays a fraction, unless it is all zeros.
 */
const NEEDS_CARE =
  /(?:^|[[,\s]|["\s]:)(?:-0|-?\d{16}|-?\d{8,}\.|-?\d+\.(?:0+(?!\d)|\d{9})|-?\d+(?:\.\d+)?[eE])|\\u[dD][89a-fA-F]/;

function keepExact(value: string | number, token: string): unknown {
  if (typeof value === "number") return readNumberToken(token);
  if (!value.isWellFormed()) throw new SyntaxError("unpaired surrogate in a string");
  return value;
}

/**
 * The one text of a JSON value: no blanks, keys sorted by their UTF-8 bytes, numbers as serde_json prints them.
 * Undefined fields are left out; half a surrogate pair becomes the replacement character.
 */
export function exactJson(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.toWellFormed());
  if (typeof value === "number") return numberText(value);
  if (JSON.isRawJSON(value)) return value.rawJSON;
  if (Array.isArray(value)) return `[${value.map(exactJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields: string[] = [];
  for (const [key, item] of Object.entries(value).sort(byName))
    if (item !== undefined) fields.push(`${exactJson(key)}:${exactJson(item)}`);
  return `{${fields.join(",")}}`;
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) => compareBytes(one, other);

/** As if the number had been written by `JSON.stringify` and read again, so that both ways give one text. */
function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return `${value + 0}`;
  if (!Number.isFinite(value)) return "null";
  if (!Number.isInteger(value)) return floatToken(value);
  const token = readNumberToken(JSON.stringify(value));
  return typeof token === "number" ? floatToken(token) : token.rawJSON;
}

/** The order of UTF-8 bytes is the order of code points; code units differ from it by their surrogates only. */
function compareBytes(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return one.length - other.length;
}

const rank = (unit: number) => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit);
