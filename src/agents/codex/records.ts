import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { NO_USAGE } from "../../contract/receipt.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { splitWords } from "../../lib/text/shell-words.ts";
import {
  type AgentRecord,
  type HeadlessMode,
  numberOf,
  type RecordReader,
  recordsIn,
  sessionOf,
  textOf,
} from "../pack/records.ts";
import { codex } from "./program.ts";

/** Codex through `codex exec --json`. */
export const headless: HeadlessMode = {
  agent: codex,
  capabilities: {
    streaming: "native",
    tool_bash: "native",
    tool_edit: "native",
    tool_use: "native",
    mcp_client: "native",
  },
  flags: ({ config }: WorkOrder) => [
    "exec",
    "--json",
    "--skip-git-repo-check",
    ...(config.model === null ? [] : ["--model", config.model]),
  ],
  open: openReader,
  // A sub-command of exec, so that the flags before it are those of every other start.
  totals: ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"],
};

function openReader(): RecordReader {
  let last: AgentRecord | undefined;
  let session: string | undefined;
  return {
    read(record) {
      const { type, item } = record;
      if (type === "thread.started") session = sessionOf(record, "thread_id");
      if (type === "turn.completed" || type === "turn.failed") last = record;
      if (type === "turn.failed")
        return [newEvent({ type: "error", message: textOf(record["error"], "message") || "the turn failed" })];
      // Codex continues after most of these; the end of the turn shows whether it failed.
      if (type === "error") return [newEvent({ type: "warning", message: textOf(record, "message") })];
      if (!isRecord(item)) return [];
      if (type === "item.started") return beginItem(item);
      return type === "item.completed" ? endItem(item) : [];
    },
    end() {
      if (last === undefined) return undefined;
      const { usage: raw } = last;
      const usage = {
        ...NO_USAGE,
        input_tokens: numberOf(raw, "input_tokens"),
        output_tokens: numberOf(raw, "output_tokens"),
        cache_read_tokens: numberOf(raw, "cached_input_tokens"),
        cache_write_tokens: numberOf(raw, "cache_write_input_tokens"),
      };
      const outcome = last["type"] === "turn.completed" ? "complete" : "failed";
      return { outcome, usage, usageRaw: raw ?? null, session };
    },
  };
}

interface Call {
  readonly tool_name: string;
  readonly input: unknown;
}

/** The command that Codex passes to its shell, without the shell and without our sandbox. */
function plainCommand(command: string): string {
  const [shell = "", flag, script, ...more] = splitWords(command) ?? [];
  const isScript = /(^|\/)\w*sh$/.test(shell) && flag === "-lc" && more.length === 0;
  const line = isScript && script !== undefined ? script : command;
  const [program = "", inside, ...rest] = splitWords(line) ?? [];
  return /\/s\/[0-9a-f]{6}\/sandbox$/.test(program) && inside !== undefined && rest.length === 0 ? inside : line;
}

/** The tool call that an item represents; undefined for other items. */
function callOf(item: AgentRecord): Call | undefined {
  switch (item["type"]) {
    // The name that its hooks give it.
    case "command_execution":
      return { tool_name: "Bash", input: { command: plainCommand(textOf(item, "command")) } };
    case "file_change":
      return { tool_name: "apply_patch", input: { changes: item["changes"] ?? [] } };
    case "mcp_tool_call":
      return { tool_name: `mcp__${textOf(item, "server")}__${textOf(item, "tool")}`, input: item["arguments"] ?? {} };
    case "web_search":
      return { tool_name: "web_search", input: { query: item["query"] ?? "" } };
    case "collab_tool_call":
      return { tool_name: "spawn_agent", input: { tool: item["tool"] ?? "" } };
    default:
      return undefined;
  }
}

function beginItem(item: AgentRecord): AgentEvent[] {
  const call = callOf(item);
  return call === undefined ? [] : [newEvent({ type: "tool_call", ...call, tool_use_id: textOf(item, "id") })];
}

function endItem(item: AgentRecord): AgentEvent[] {
  const text = textOf(item, "text");
  if (item["type"] === "agent_message") return [newEvent({ type: "assistant_message", text })];
  // Also used for notices, such as an unknown model.
  if (item["type"] === "error") return [newEvent({ type: "warning", message: textOf(item, "message") })];
  const call = callOf(item);
  if (call === undefined) return [];
  const status = textOf(item, "status");
  const output =
    status === "declined"
      ? { denied: true, reason: "declined" }
      : (item["aggregated_output"] ?? item["result"] ?? item["error"] ?? status);
  const result = {
    tool_name: call.tool_name,
    tool_use_id: textOf(item, "id"),
    output,
    is_error: status !== "completed" && status !== "",
  };
  const changed = item["type"] === "file_change" && status === "completed" ? recordsIn(item, "changes") : [];
  return [
    newEvent({ type: "tool_result", ...result }),
    ...changed.map((change) =>
      newEvent({ type: "file_changed", path: textOf(change, "path"), summary: textOf(change, "kind") }),
    ),
  ];
}
