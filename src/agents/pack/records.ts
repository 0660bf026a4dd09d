import type { AgentEvent } from "../../contract/agent-event.ts";
import type { Capabilities } from "../../contract/capability.ts";
import type { HostEnd, Usage } from "../../contract/receipt.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import type { Agent } from "./agent.ts";

/** How to run an agent headless, and how to interpret the records that it prints. */
export interface HeadlessMode {
  readonly agent: Agent;
  readonly capabilities: Capabilities;
  readonly flags: (order: WorkOrder, version: string | null) => readonly string[];
  readonly open: () => RecordReader;
  /** Counts that it reports for the whole of a continued conversation, and not for this start alone. */
  readonly totals?: readonly (keyof Usage)[];
  /** It prints one JSON document over several lines when it ends, instead of one record per line. */
  readonly printsOneDocument?: true;
}

/** Turns the records of one run into events. */
export interface RecordReader {
  readonly read: (record: AgentRecord) => readonly AgentEvent[];
  /** The outcome in the agent's final record; undefined when there was none. Ignores exit codes. */
  readonly end: () => HeadlessEnd | undefined;
}

export type HeadlessEnd = Omit<HostEnd, "mode">;

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

const LOGIN_ERROR =
  /no authentication information|authentication (?:is )?required|not (?:logged|signed) in|(?:please|must) (?:run \/login|log ?in|sign ?in|authenticate)|unauthori[sz]ed|(?:status|http|error|code)\W{1,3}401\b|missing environment variable|(?:invalid|missing|incorrect|no) (?:[\w-]+ )?api[ _-]?key|api[ _-]?key (?:is )?(?:missing|not set|not found|required|invalid)/i;

/** Whether an agent's error says that its login or key is missing or refused. Trying again does not change that. */
export const isLoginError = (message: string): boolean => LOGIN_ERROR.test(message);
