import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk";
import type { SessionEvent, ToolEnd, UsageEvent } from "../../../contract/engine-event.ts";
import type { Model } from "../../../models/model.ts";
import { describeEvent } from "../describe-event.ts";
import type { NativeSession } from "../open-native.ts";
import { message } from "./editor-link.ts";
import { toolCall, toolEnd, toolProgress } from "./tool-updates.ts";

interface ViewedSession extends Pick<NativeSession, "conversation" | "workItems"> {
  readonly models: { readonly model: Pick<Model, "limits"> };
}

/** The updates that an editor gets for an event; none for what is of no interest to the user. */
export function sessionUpdates(event: SessionEvent, session: ViewedSession): readonly SessionUpdate[] {
  switch (event.type) {
    case "text-delta":
      return [message(event.text)];
    case "thinking-delta":
      return [thought(event.text)];
    case "tool-end":
      return [toolEnd(event), ...plansIn(event, session), ...summaryIn(event)];
    case "tool-start":
    case "tool-progress":
      return callUpdates(event);
    case "child":
      return callUpdates(event.event, event.agent);
    case "usage":
      return usageIn(event, session);
    case "compaction-end":
      return [told(describeEvent(event)), usageUpdate(event.tokensAfter, session)].flat();
    case "gate-passed":
    case "gate-blocked":
      return [message(`\n\n> ${describeEvent(event) ?? ""}\n\n`)];
    default:
      return TOLD.has(event.type) ? told(describeEvent(event)) : [];
  }
}

/** Events that are told in words, as on a terminal. */
const TOLD: ReadonlySet<SessionEvent["type"]> = new Set([
  "response",
  "request-failed",
  "history-replaced",
  "compaction-start",
  "compaction-failed",
  "compaction-stopped",
  "prompt-refused",
  "hook-failed",
  "loop-noticed",
]);

/** The summary of a call that ends the run is the answer. */
const summaryIn = ({ result: { ends } }: ToolEnd) => (ends === undefined ? [] : [message(`\n\n${ends.summary}\n\n`)]);

const thought = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_thought_chunk",
  content: { type: "text", text },
});

const told = (line: string | undefined) => (line === undefined ? [] : [thought(`\n${line}\n`)]);

/** The calls of an agent. What a sub-agent says is not shown: its answer is the result of the call that started it. */
function callUpdates(event: SessionEvent, agent?: string): readonly SessionUpdate[] {
  switch (event.type) {
    case "tool-start":
      return [toolCall(event.call, agent)];
    case "tool-progress":
      return [toolProgress(event.callId, event.recent ?? event.text, agent)];
    case "tool-end":
      return [toolEnd({ ...event, ...(agent === undefined ? {} : { agent }) })];
    case "child":
      return callUpdates(event.event, event.agent);
    default:
      return [];
  }
}

/** A summary is asked for by another part, whose request says nothing about this conversation. */
const usageIn = ({ usage, agent }: UsageEvent, session: ViewedSession) =>
  agent !== undefined || usage === undefined ? [] : [usageUpdate(usage.input + usage.output, session)];

const plansIn = ({ result: { name, failed } }: ToolEnd, session: ViewedSession) =>
  name === "todo" && !failed ? [planUpdate(session)] : [];

/** How full the window is, and what the session has cost. */
export function usageUpdate(used: number, { models, conversation: { cost } }: ViewedSession): SessionUpdate {
  return {
    sessionUpdate: "usage_update",
    used,
    size: models.model.limits.prompt,
    ...(cost === undefined ? {} : { cost: { amount: cost, currency: "USD" } }),
  };
}

/** The work items as a plan. It replaces the one before. */
export const planUpdate = ({ workItems }: Pick<NativeSession, "workItems">): SessionUpdate => ({
  sessionUpdate: "plan",
  entries: workItems().flatMap(({ title, state }): PlanEntry[] => {
    if (state === "dropped") return [];
    const status = state === "done" ? "completed" : state === "in_progress" ? state : "pending";
    return [{ content: state === "blocked" ? `${title} (blocked)` : title, priority: "medium", status }];
  }),
});
