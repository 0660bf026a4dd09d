import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { NO_USAGE } from "../../contract/receipt.ts";
import type { SupportLevel } from "../../contract/capability.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { type AgentRecord, type HeadlessMode, type RecordReader, recordsIn, textOf } from "../pack/records.ts";
import { amplifier } from "./program.ts";

const BY_BUNDLE: SupportLevel = { restricted: { reason: "depends on the tools of the Amplifier bundle in use" } };

/** Amplifier through `amplifier run --output-format json-trace`, which prints one JSON document at the end. */
export const headless: HeadlessMode = {
  agent: amplifier,
  capabilities: {
    tool_use: "native",
    tool_read: BY_BUNDLE,
    tool_write: BY_BUNDLE,
    tool_edit: BY_BUNDLE,
    tool_bash: BY_BUNDLE,
  },
  printsOneDocument: true,
  flags: ({ config }: WorkOrder) => [
    "run",
    "--output-format",
    "json-trace",
    ...(config.model === null ? [] : ["--model", config.model]),
  ],
  open: openReader,
};

function openReader(): RecordReader {
  let last: AgentRecord | undefined;
  return {
    read(record) {
      last = record;
      const calls = recordsIn(record, "execution_trace").flatMap(callEvents);
      if (record["status"] !== "success")
        return [
          ...calls,
          newEvent({ type: "error", message: textOf(record, "error") || "Amplifier reported an error" }),
        ];
      const text = textOf(record, "response");
      return [...calls, ...(text === "" ? [] : [newEvent({ type: "assistant_message", text })])];
    },
    end() {
      if (last === undefined) return undefined;
      const outcome = last["status"] === "success" ? "complete" : "failed";
      return { outcome, usage: NO_USAGE, usageRaw: last["metadata"] ?? null };
    },
  };
}

/** Amplifier gives its calls no ids. */
function callEvents(call: AgentRecord, index: number): AgentEvent[] {
  if (call["type"] !== "tool_call") return [];
  const tool_name = textOf(call, "tool") || "unknown";
  const tool_use_id = `call-${index + 1}`;
  const { result = null, arguments: input = null } = call;
  const is_error = isRecord(result) && (result["success"] === false || (result["error"] ?? null) !== null);
  return [
    newEvent({ type: "tool_call", tool_name, tool_use_id, input }),
    newEvent({ type: "tool_result", tool_name, tool_use_id, output: result, is_error }),
  ];
}
