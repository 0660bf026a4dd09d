import type { RecordReader } from "../../agents/pack/headless-mode.ts";
import { type AgentRecord, numberOf, sessionOf, textOf } from "../../agents/pack/record-fields.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { NO_USAGE } from "../../contract/host-end.ts";
import type { Usage } from "../../contract/receipt.ts";
import { isRecord } from "../../lib/is-record.ts";

/**
 * Reads Copilot's session events, which are the same in its JSON output and in its SDK. Its JSON output has no usage;
 * `lastUsage` gets it from elsewhere.
 */
export function openCopilotReader(
  lastUsage: () => Usage | undefined = () => undefined,
): RecordReader & { readonly usage: () => Usage; readonly failed: () => boolean } {
  const tools = new Map<string, string>();
  let usage = NO_USAGE;
  let result: AgentRecord | undefined;
  let failed = false;
  const read = (record: AgentRecord): readonly AgentEvent[] => {
    const data = isRecord(record["data"]) ? record["data"] : {};
    switch (record["type"]) {
      case "assistant.message_delta":
        return [newEvent({ type: "assistant_delta", text: textOf(data, "deltaContent") })];
      case "assistant.message": {
        const text = textOf(data, "content");
        return text === "" ? [] : [newEvent({ type: "assistant_message", text, ext: { usage } })];
      }
      case "assistant.usage":
        usage = addUsage(usage, data);
        return [];
      case "tool.execution_start":
        tools.set(textOf(data, "toolCallId"), textOf(data, "toolName"));
        return [beginCall(data)];
      case "tool.execution_complete":
        return [endCall(data, tools.get(textOf(data, "toolCallId")) ?? "unknown")];
      case "session.warning":
        return [newEvent({ type: "warning", message: textOf(data, "message") })];
      case "session.error":
        failed = true;
        return [newEvent({ type: "error", message: textOf(data, "message") || "Copilot reported an error" })];
      case "result":
        result = record;
        return [];
      default:
        return [];
    }
  };
  return {
    read,
    usage: () => usage,
    failed: () => failed,
    end() {
      if (result === undefined) return undefined;
      const complete = numberOf(result, "exitCode") === 0 && !failed;
      const raw = isRecord(result["usage"]) ? result["usage"] : {};
      const usageRaw = { ...raw, session_id: textOf(result, "sessionId") || null };
      const session = sessionOf(result, "sessionId");
      return { outcome: complete ? "complete" : "failed", usage: lastUsage() ?? usage, usageRaw, session };
    },
  };
}

function beginCall(data: AgentRecord): AgentEvent {
  const call = {
    tool_name: textOf(data, "toolName"),
    tool_use_id: textOf(data, "toolCallId"),
    input: data["arguments"] ?? null,
  };
  return newEvent({ type: "tool_call", ...call });
}

function endCall(data: AgentRecord, tool_name: string): AgentEvent {
  const { error, result } = data;
  const refused = data["success"] === false && /den(y|ied)|reject/i.test(textOf(error, "code"));
  const content = isRecord(result) ? (result["content"] ?? null) : textOf(error, "message");
  const output = refused ? { denied: true, reason: textOf(error, "message") } : content;
  return newEvent({
    type: "tool_result",
    tool_name,
    tool_use_id: textOf(data, "toolCallId"),
    output,
    is_error: data["success"] !== true,
  });
}

const plus = (one: number | null, other: number | null) => (other === null ? one : (one ?? 0) + other);

function addUsage(usage: Usage, data: AgentRecord): Usage {
  return {
    ...usage,
    input_tokens: plus(usage.input_tokens, numberOf(data, "inputTokens")),
    output_tokens: plus(usage.output_tokens, numberOf(data, "outputTokens")),
    cache_read_tokens: plus(usage.cache_read_tokens, numberOf(data, "cacheReadTokens")),
    cache_write_tokens: plus(usage.cache_write_tokens, numberOf(data, "cacheWriteTokens")),
  };
}
