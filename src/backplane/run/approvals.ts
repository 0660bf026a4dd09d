import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { HeldCall } from "../host.ts";
import type { RunParts } from "./run-parts.ts";

/** Asks the caller of a run about calls that need approval. */
export interface Approvals {
  /** Undefined when nobody answers. */
  readonly ask: ((call: HeldCall, because: string) => Promise<boolean>) | undefined;
  /** What was answered since the last time, for the trace. */
  readonly take: () => readonly AgentEvent[];
}

interface AskingRun {
  readonly runId: string;
  readonly root: string;
  readonly signal: AbortSignal;
}

export function openApprovals(run: AskingRun, onApproval: RunParts["onApproval"]): Approvals {
  if (onApproval === undefined) return { ask: undefined, take: () => [] };
  const answers: AgentEvent[] = [];
  const { runId, root, signal } = run;
  return {
    take: () => answers.splice(0),
    async ask({ tool, input, id = null }, because) {
      const answer = await onApproval({ runId, tool, input, root, because });
      const approved = answer === true && !signal.aborted;
      const message = `${approved ? "approved" : "not approved"} by the caller: ${tool} (${because})`;
      answers.push(newEvent({ type: "warning", message, ext: { approval: { tool, tool_use_id: id, approved } } }));
      return approved;
    },
  };
}
