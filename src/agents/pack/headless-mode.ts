import type { AgentEvent } from "../../contract/agent-event.ts";
import type { Capabilities } from "../../contract/capability.ts";
import type { HostEnd } from "../../contract/host-end.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import type { Agent } from "./agent.ts";
import type { AgentRecord } from "./record-fields.ts";

/** How an agent is run without a person, and what the records that it prints mean. */
export interface HeadlessMode {
  readonly agent: Agent;
  readonly capabilities: Capabilities;
  readonly flags: (order: WorkOrder) => readonly string[];
  readonly open: () => RecordReader;
}

/** Turns the records of one run into events. */
export interface RecordReader {
  readonly read: (record: AgentRecord) => readonly AgentEvent[];
  /** What the agent's own last record says; undefined when there was none. Exit codes are not asked. */
  readonly end: () => Omit<HostEnd, "mode"> | undefined;
}
