import type { AgentEvent } from "../../contract/agent-event.ts";
import type { Capabilities } from "../../contract/capability.ts";
import type { HostEnd } from "../../contract/host-end.ts";
import type { Usage } from "../../contract/receipt.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import type { Agent } from "./agent.ts";
import type { AgentRecord } from "./record-fields.ts";

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
  readonly end: () => Omit<HostEnd, "mode"> | undefined;
}
