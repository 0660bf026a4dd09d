import { type AgentEvent, newEvent, REFUSED_BY_AGENT } from "../../contract/agent-event.ts";
import { CODING_AGENT } from "../../contract/capability.ts";
import type { Usage } from "../../contract/receipt.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import {
  type AgentRecord,
  type HeadlessMode,
  numberOf,
  type HeadlessEnd,
  type RecordReader,
  recordsIn,
  sessionOf,
  textOf,
} from "../pack/records.ts";
import { claude } from "./program.ts";

/** Claude Code through `claude -p --output-format stream-json`. */
export const headless: HeadlessMode = {
  agent: claude,
  capabilities: { ...CODING_AGENT, tool_use: "native", mcp_client: "native" },
  flags: ({ config }: WorkOrder) => [
    "--output-format",
    "stream-json",
    "--verbose",
    ...(config.model === null ? [] : ["--model", config.model]),
    ...(config.max_turns === null ? [] : ["--max-turns", String(config.max_turns)]),
    ...(config.max_budget_usd === null ? [] : ["--max-budget-usd", String(config.max_budget_usd)]),
  ],
  open: openReader,
  totals: ["estimated_cost_usd"],
};

function openReader(): RecordReader {
  const tools = new Map<string, string>();
  const answers = new Set<string>();
  // A background sub-agent brings a second result: the last one counts.
  let result: AgentRecord | undefined;
  return {
    read(record) {
      if (record["type"] === "result") result = record;
      if (record["type"] === "assistant") return readAnswer(record, tools, answers);
      if (record["type"] === "user") return readResults(record, tools);
      return result === record ? failureOf(record) : [];
    },
    end: () => (result === undefined ? undefined : readEnd(result)),
  };
}

function readAnswer(record: AgentRecord, tools: Map<string, string>, answers: Set<string>): AgentEvent[] {
  const { message, parent_tool_use_id: parent } = record;
  if (parent === null) answers.add(textOf(message, "id"));
  const ext = { turn: answers.size };
  return recordsIn(message, "content").flatMap((block) => {
    if (block["type"] === "text") return [newEvent({ type: "assistant_message", text: textOf(block, "text"), ext })];
    if (block["type"] !== "tool_use") return [];
    const [id, name] = [textOf(block, "id"), textOf(block, "name")];
    tools.set(id, name);
    const parent_tool_use_id = typeof parent === "string" ? parent : null;
    const call = { tool_name: name, tool_use_id: id, parent_tool_use_id, input: block["input"] ?? null, ext };
    return [newEvent({ type: "tool_call", ...call })];
  });
}

function readResults(record: AgentRecord, tools: ReadonlyMap<string, string>): AgentEvent[] {
  const decisions = new Map(
    recordsIn(record, "tool_result_meta").map((meta) => [textOf(meta, "id"), meta["permission_decision"]]),
  );
  return recordsIn(record["message"], "content").flatMap((block) => {
    if (block["type"] !== "tool_result") return [];
    const id = textOf(block, "tool_use_id");
    const result = { tool_name: tools.get(id) ?? "unknown", tool_use_id: id, is_error: block["is_error"] === true };
    return [newEvent({ type: "tool_result", ...result, ...outputOf(block, decisions.get(id)) })];
  });
}

/** A call that Claude Code turned down before it asked for permission has no decision, and its error is in these tags. */
const NOT_STARTED = /^<tool_use_error>(?<reason>[^]*?)(<\/tool_use_error>)?$/;

function outputOf({ content = null, is_error: failed }: AgentRecord, decision: unknown) {
  const text = contentText(content);
  const error = failed === true ? NOT_STARTED.exec(text)?.groups?.["reason"] : undefined;
  if (failed === true && /^(reject|den)/.test(textOf(decision, "decision"))) {
    if (textOf(decision, "source") === "hook") return { output: { denied: true, reason: text } };
    const reason = `refused by Claude Code itself, not by signalbox: ${error ?? text}`;
    return { output: { denied: true, reason }, ext: REFUSED_BY_AGENT };
  }
  return decision === undefined && error !== undefined
    ? { output: content, ext: REFUSED_BY_AGENT }
    : { output: content };
}

const contentText = (content: unknown) => (typeof content === "string" ? content : JSON.stringify(content ?? null));

function failureOf(result: AgentRecord): AgentEvent[] {
  if (result["is_error"] !== true) return [];
  const message = textOf(result, "result") || textOf(result, "subtype") || "Claude Code reports an error";
  return [newEvent({ type: "error", message })];
}

/** `is_error` is the truth: a failed request has the subtype "success". */
function readEnd(result: AgentRecord): HeadlessEnd {
  const { usage: raw } = result;
  const usage: Usage = {
    input_tokens: numberOf(raw, "input_tokens"),
    output_tokens: numberOf(raw, "output_tokens"),
    cache_read_tokens: numberOf(raw, "cache_read_input_tokens"),
    cache_write_tokens: numberOf(raw, "cache_creation_input_tokens"),
    request_units: null,
    estimated_cost_usd: numberOf(result, "total_cost_usd"),
  };
  const limit = /^error_max_(turns|budget_usd)$/.test(textOf(result, "subtype"));
  return {
    outcome: result["is_error"] === true ? (limit ? "partial" : "failed") : "complete",
    usage,
    usageRaw: isRecord(raw) ? { ...raw, total_cost_usd: result["total_cost_usd"] ?? null } : null,
    stopped: limit ? "limit" : undefined,
    session: sessionOf(result, "session_id"),
  };
}
