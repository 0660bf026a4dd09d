import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { CODING_AGENT } from "../../contract/capability.ts";
import { NO_USAGE } from "../../contract/receipt.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import {
  type AgentRecord,
  type HeadlessMode,
  numberOf,
  type RecordReader,
  sessionOf,
  textOf,
} from "../pack/records.ts";
import { gemini } from "./program.ts";

/** Gemini CLI through `gemini -o stream-json`. */
export const headless: HeadlessMode = {
  agent: gemini,
  capabilities: { ...CODING_AGENT, tool_use: "native", mcp_client: "native" },
  flags: ({ config }: WorkOrder) => ["-o", "stream-json", ...(config.model === null ? [] : ["-m", config.model])],
  open: openReader,
};

function openReader(): RecordReader {
  const tools = new Map<string, string>();
  let text = "";
  let result: AgentRecord | undefined;
  let session: string | undefined;
  /** Gemini sends an answer in parts; it ends with the next record of another kind. */
  const said = (): AgentEvent[] => {
    const whole = text;
    text = "";
    return whole === "" ? [] : [newEvent({ type: "assistant_message", text: whole })];
  };
  return {
    read(record) {
      if (record["type"] === "message" && record["role"] === "assistant") {
        text += textOf(record, "content");
        return [];
      }
      if (record["type"] === "result") result = record;
      if (record["type"] === "init") session = sessionOf(record, "session_id");
      return [...said(), ...eventsOf(record, tools)];
    },
    end() {
      if (result === undefined) return undefined;
      const { stats: raw } = result;
      const usage = {
        ...NO_USAGE,
        input_tokens: numberOf(raw, "input_tokens"),
        output_tokens: numberOf(raw, "output_tokens"),
        cache_read_tokens: numberOf(raw, "cached"),
      };
      const outcome = result["status"] === "success" ? "complete" : "failed";
      return { outcome, usage, usageRaw: raw ?? null, session };
    },
  };
}

function eventsOf(record: AgentRecord, tools: Map<string, string>): AgentEvent[] {
  const id = textOf(record, "tool_id");
  switch (record["type"]) {
    case "tool_use": {
      const tool_name = textOf(record, "tool_name");
      tools.set(id, tool_name);
      return [newEvent({ type: "tool_call", tool_name, tool_use_id: id, input: record["parameters"] ?? {} })];
    }
    case "tool_result":
      return [newEvent({ type: "tool_result", tool_name: tools.get(id) ?? "unknown", ...resultOf(record, id) })];
    case "error":
      return [newEvent({ type: "warning", message: textOf(record, "message") })];
    case "result":
      return record["status"] === "success"
        ? []
        : [newEvent({ type: "error", message: textOf(record["error"], "message") || "Gemini CLI reports an error" })];
    default:
      return [];
  }
}

/** The words with which Gemini reports a call that a hook or a rule of its own has stopped. */
const BLOCKED = /^(?:Tool execution blocked: |Tool execution denied by policy)/;

function resultOf(record: AgentRecord, id: string) {
  const is_error = record["status"] !== "success";
  const message = textOf(record["error"], "message") || textOf(record, "output");
  const denied = is_error && BLOCKED.test(message);
  const output = denied
    ? { denied: true, reason: message.replace(BLOCKED, "") || message }
    : (record["output"] ?? message);
  return { tool_use_id: id, output, is_error };
}
