import type { SubAgentDefinition } from "../../../contract/sub-agent-definition.ts";

/** One task for one sub-agent. */
export interface AgentOrder {
  /** Unique in the session: `explore-1`. */
  readonly id: string;
  readonly definition: SubAgentDefinition;
  readonly prompt: string;
  readonly description: string;
  /** The model that the caller wants; undefined for that of the definition. */
  readonly model: string | undefined;
  readonly mode: "sync" | "background";
  readonly callId: string;
  /** The sub-agent that gives the order; undefined for the session's own agent. */
  readonly startedBy: string | undefined;
  /** 1 for a sub-agent of the session's own agent. */
  readonly depth: number;
}
