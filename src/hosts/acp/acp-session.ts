import type {
  PermissionOption,
  RequestPermissionResponse,
  SessionUpdate,
  Stream,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { AgentRecord } from "../../agents/pack/records.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import type { AsyncQueue } from "../../lib/process/tasks.ts";
import type { HeldCall, HostJob } from "../../receipts/host.ts";

/** A connected agent, whatever the transport. */
export interface AcpPeer extends AsyncDisposable {
  readonly stream: Stream;
  /** Waits for the agent to end and describes how it ended. */
  readonly ending: () => Promise<string>;
}

/** The single session of a run. */
export interface AcpSession {
  readonly job: HostJob;
  readonly state: TurnState;
  readonly calls: AcpCalls;
  readonly blocked: BlockedCalls;
  readonly events: AsyncQueue<AgentEvent>;
  readonly update: (update: SessionUpdate) => void;
  /** Emits events, preceded by any text that came before them. */
  readonly tell: (events: readonly AgentEvent[], raw?: unknown) => void;
  /** Emits the text that came so far as one message. */
  readonly flush: (ext?: AgentEvent["ext"]) => void;
}

export interface TurnState {
  /** The messages with text since the last tool call. */
  readonly pieces: SessionUpdate[];
  cost: number;
  stopReason: string;
  failed: boolean;
  /** As the agent reported it; null if it did not. */
  usage: AgentRecord | null;
  sessionId: string;
}

/** Maps ACP kinds to the tool names the guard knows. */
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

/** The tool calls of one session, assembled from their updates. */
interface AcpCalls {
  /** The call in the guard's form, with everything known so far. */
  readonly judged: (update: ToolCallUpdate) => HeldCall;
  /** The call's event, emitted once: when the agent asks about the call or starts it. */
  readonly begin: (update: ToolCallUpdate) => AgentEvent[];
  /** Marks a call as denied. Later updates are reported only if the agent runs it anyway. */
  readonly deny: (id: string) => void;
  /** The events for an update: the call itself, if not reported yet, and its result. */
  readonly update: (update: ToolCallUpdate) => AgentEvent[];
}

export function openCalls(): AcpCalls {
  const known = new Map<string, ToolCallUpdate>();
  const [reported, finished, denied] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const learn = (update: ToolCallUpdate): ToolCallUpdate => {
    const fields = Object.fromEntries(
      Object.entries(update).filter(([, value]) => value !== undefined && value !== null),
    );
    const call: ToolCallUpdate = { ...known.get(update.toolCallId), ...fields, toolCallId: update.toolCallId };
    known.set(update.toolCallId, call);
    return call;
  };
  const begin = (update: ToolCallUpdate): AgentEvent[] => {
    const call = learn(update);
    if (reported.has(call.toolCallId)) return [];
    reported.add(call.toolCallId);
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
      // A pending call may still receive its input.
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

/** Judges everything a call names: its raw input and the files it says it touches. */
function judgedCall(call: ToolCallUpdate): HeldCall {
  const kind = call.kind ?? "other";
  const tool = KIND_TOOLS[kind] ?? call.name ?? call.title ?? "unknown";
  const raw = isRecord(call.rawInput) ? call.rawInput : {};
  const paths = [
    ...(call.locations ?? []).map(({ path }) => path),
    ...(call.content ?? []).flatMap((part) => (part.type === "diff" ? [part.path] : [])),
  ];
  const files = paths.length === 0 ? {} : { paths: [...new Set(paths)] };
  // Without input, the title is all there is, and it is what the user would be shown.
  const command = kind === "execute" && raw["command"] === undefined ? { command: call.title ?? "" } : {};
  return { tool, input: { ...raw, ...command, ...files }, id: call.toolCallId };
}

/** The text that the agent shows. Its raw output is in a form of its own; Copilot's has the same text three times. */
function outputOf({ content, rawOutput }: ToolCallUpdate): unknown {
  const parts = content ?? [];
  const texts = parts.flatMap((part) =>
    part.type === "content" && part.content.type === "text" ? [part.content.text] : [],
  );
  if (texts.length > 0 && texts.length === parts.length) return texts.join("\n");
  return rawOutput ?? parts.map((part) => JSON.stringify(part)).join("\n");
}

/**
 * The answer to a permission request. A denial cancels if there is no reject option. An approval is never for more than
 * this call, because the agent would not ask about the next one; without an "allow once" option it becomes a denial. The
 * fields next to `outcome` are for agents that use an older format.
 */
export function permissionAnswer(
  options: readonly PermissionOption[],
  allowed: boolean,
  because: string,
): RequestPermissionResponse {
  const wanted = allowed ? ["allow_once"] : ["reject_once", "reject_always"];
  const found = wanted.flatMap((kind) => options.filter((option) => option.kind === kind))[0];
  const granted = allowed && found !== undefined;
  const decision = granted ? "allow_once" : "reject";
  const older = { decision, approved: granted, approval: decision, action: decision, reason: because };
  return found === undefined
    ? { outcome: { outcome: "cancelled" }, ...older }
    : { outcome: { outcome: "selected", optionId: found.optionId }, ...older };
}

/**
 * Why calls were blocked, as long as the model has not heard it. A permission answer of ACP carries no reason: the agent
 * tells its model that the user rejected the call, and some end the turn.
 */
interface BlockedCalls {
  readonly add: (because: string) => void;
  readonly isEmpty: () => boolean;
  /** Notes a call that the agent announces or asks about. After a new one, the model has gone on without the blocked. */
  readonly see: (callId: string) => void;
  /** The prompt that tells the model. Undefined if there is nothing to tell. */
  readonly takePrompt: () => string | undefined;
}

export function openBlockedCalls(): BlockedCalls {
  const reasons: string[] = [];
  // Calls that were made together are announced before the agent asks about any of them.
  const seen = new Set<string>();
  return {
    add: (because) => void reasons.push(because),
    isEmpty: () => reasons.length === 0,
    see(callId) {
      if (!seen.has(callId)) reasons.length = 0;
      seen.add(callId);
    },
    takePrompt() {
      const told = reasons.splice(0);
      if (told.length === 0) return undefined;
      const what = told.length === 1 ? "a call" : `${told.length} calls`;
      return `signalbox blocked ${what} by its rules; the user rejected nothing. ${told.join(" ")} Continue the task another way. If that is not possible, say so.`;
    },
  };
}
