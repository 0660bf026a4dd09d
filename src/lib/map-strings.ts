import { isRecord } from "./is-record.ts";

/** A JSON value with every text of it, keys left out, put through `change`. Values without a change are kept as they are. */
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (!isRecord(value) || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]));
}
