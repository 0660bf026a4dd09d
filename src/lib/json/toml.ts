import { parse } from "smol-toml";
import { isRecord } from "./json-value.ts";

/** A basic string. JSON's escapes are valid in TOML, but TOML has no lone surrogates and requires DEL to be escaped. */
export const tomlString = (text: string) => JSON.stringify(text.toWellFormed()).replaceAll("\u007f", "\\u007f");

/** A value as single-line TOML; undefined for values TOML cannot represent there. */
export function inlineToml(value: unknown): string | undefined {
  if (typeof value === "string") return tomlString(value);
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  if (Array.isArray(value)) return `[${value.flatMap((item) => inlineToml(item) ?? []).join(",")}]`;
  if (!isRecord(value) || value instanceof Date) return undefined;
  const pairs = Object.entries(value).flatMap(([key, item]) => {
    const text = inlineToml(item);
    return text === undefined ? [] : [`${tomlString(key)}=${text}`];
  });
  return `{${pairs.join(",")}}`;
}

/** The table of a TOML text; undefined for one that is none. */
export function parseToml(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    return text === undefined ? undefined : parse(text);
  } catch {
    return undefined;
  }
}
