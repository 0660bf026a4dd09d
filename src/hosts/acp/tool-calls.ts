import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../../contract/agent-event.ts";
import type { HeldCall } from "../../backplane/host.ts";
import { newEvent } from "../../contract/new-event.ts";
import { isRecord } from "../../lib/is-record.ts";

/** The names under which the guard knows what an agent only gives a kind to. */
const KIND_TOOLS: Readonly<Record<string, string>> = {
  read: "read",
  edit: "edit",
  delete: "edit",
  move: "edit",
  search: "grep",
  execute: "execute",
  think: "think",
  fetch: "fetch",
};

/** The tool calls of one session, put together from their updates. */
export interface AcpCalls {
  /** The call as the guard judges it, with all that is known so far. */
  readonly judged: (update: ToolCallUpdate) => HeldCall;
  /** The event of a call, once: when it is asked about or begins. */
  readonly begin: (update: ToolCallUpdate) => AgentEvent[];
  /** The agent was told not to. Only if it does so all the same there is more to tell. */
  readonly deny: (id: string) => void;
  /** Events of an update: the call itself if it was not told yet, and its result. */
  readonly update: (update: ToolCallUpdate) => AgentEvent[];
}

export function openCalls(): AcpCalls {
  const known = new Map<string, ToolCallUpdate>();
  const [told, finished, denied] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const learn = (update: ToolCallUpdate): ToolCallUpdate => {
    const given = Object.fromEntries(
      Object.entries(update).filter(([, value]) => value !== undefined && value !== null),
    );
    const call: ToolCallUpdate = { ...known.get(update.toolCallId), ...given, toolCallId: update.toolCallId };
    known.set(update.toolCallId, call);
    return call;
  };
  const begin = (update: ToolCallUpdate): AgentEvent[] => {
    const call = learn(update);
    if (told.has(call.toolCallId)) return [];
    told.add(call.toolCallId);
    const { tool, input } = judgedCall(call);
    const ext = { title: call.title ?? "", kind: call.kind ?? "other" };
    return [newEvent({ type: "tool_call", tool_name: tool, tool_use_id: call.toolCallId, input, ext })];
  };
  return {
    judged: (update) => judgedCall(learn(update)),
    begin,
    deny: (id) => denied.add(id),
    update(update) {
      const call = learn(update);
      const { toolCallId: id, status } = call;
      if (denied.has(id) && status !== "completed") return [];
      // A pending call may still get its input.
      if (status === "pending" || status === undefined || status === null) return [];
      const events = begin(call);
      if ((status !== "completed" && status !== "failed") || finished.has(id)) return events;
      finished.add(id);
      const result = {
        tool_name: judgedCall(call).tool,
        tool_use_id: id,
        output: outputOf(call),
        is_error: status === "failed",
      };
      return [...events, newEvent({ type: "tool_result", ...result })];
    },
  };
}

/** Everything that a call names is judged: its raw input, and the files that it says it touches. */
function judgedCall(call: ToolCallUpdate): HeldCall {
  const kind = call.kind ?? "other";
  const tool = KIND_TOOLS[kind] ?? call.name ?? call.title ?? "unknown";
  const raw = isRecord(call.rawInput) ? call.rawInput : {};
  const paths = [
    ...(call.locations ?? []).map(({ path }) => path),
    ...(call.content ?? []).flatMap((part) => (part.type === "diff" ? [part.path] : [])),
  ];
  const files = paths.length === 0 ? {} : { paths: [...new Set(paths)] };
  // Without an input the title is all there is, and it is what a person would be shown.
  const command = kind === "execute" && raw["command"] === undefined ? { command: call.title ?? "" } : {};
  return { tool, input: { ...raw, ...command, ...files }, id: call.toolCallId };
}

function outputOf(call: ToolCallUpdate): unknown {
  if (call.rawOutput !== undefined && call.rawOutput !== null) return call.rawOutput;
  return (call.content ?? [])
    .map((part) => (part.type === "content" && part.content.type === "text" ? part.content.text : JSON.stringify(part)))
    .join("\n");
}
