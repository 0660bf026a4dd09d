import { isRecord } from "./is-record.ts";

/** A basic string. JSON's escapes are TOML's too, but TOML knows no half surrogates and wants DEL escaped. */
export const tomlString = (text: string) => JSON.stringify(text.toWellFormed()).replaceAll("\u007f", "\\u007f");

/** A value as TOML in one line; undefined for what TOML cannot hold there. */
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
