import { isRecord } from "../../lib/is-record.ts";

/** One line of an agent's JSON output. */
export type AgentRecord = Readonly<Record<string, unknown>>;

/** A string field; empty when there is none. */
export const textOf = (value: unknown, name: string): string => {
  const found = isRecord(value) ? value[name] : undefined;
  return typeof found === "string" ? found : "";
};

/** A number field, raw JSON numbers included; null when there is none. */
export function numberOf(value: unknown, name: string): number | null {
  const found = isRecord(value) ? value[name] : undefined;
  if (typeof found === "number") return found;
  return JSON.isRawJSON(found) ? Number(found.rawJSON) : null;
}

/** The records in a list field. */
export const recordsIn = (value: unknown, name: string): AgentRecord[] => {
  const found = isRecord(value) ? value[name] : undefined;
  return Array.isArray(found) ? found.filter(isRecord) : [];
};

/** The id of a conversation; undefined when there is none, or one that could be taken for a flag or a path. */
export function sessionOf(value: unknown, name: string): string | undefined {
  const found = textOf(value, name);
  return /^[0-9A-Za-z][\w-]{0,127}$/.test(found) ? found : undefined;
}
