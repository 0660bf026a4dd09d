import { join } from "node:path";
import { copilot } from "../../agents/copilot/program.ts";
import {
  type AgentRecord,
  type HeadlessMode,
  numberOf,
  type RecordReader,
  sessionOf,
  textOf,
} from "../../agents/pack/records.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { NO_USAGE, type Usage } from "../../contract/receipt.ts";
import { readBoundedText } from "../../lib/files/read-file.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import type { HostPlace } from "../../receipts/host.ts";
import { cliHost } from "../program/cli-host.ts";
import type { AgentStarter } from "../program/start-agent.ts";
import { type OpenedWay, programSettings, type SessionSettings } from "./session-settings.ts";

/** Copilot's own program with `--output-format json`, the only way in which our hooks run. */
export async function openJsonOutput(
  place: HostPlace,
  wanted: SessionSettings,
  starter: AgentStarter,
  env: NodeJS.ProcessEnv,
): Promise<OpenedWay> {
  const passed = programSettings(wanted, place.folder, { ...env, ...place.env });
  const usageFile = join(place.folder, "copilot-usage.json");
  const mode: HeadlessMode = {
    agent: copilot,
    capabilities: {},
    flags: (_, version) => [
      "--output-format",
      "json",
      "--no-auto-update",
      ...(wanted.sessionId === undefined ? [] : [`--resume=${wanted.sessionId}`]),
      ...(writesUsage(version) ? ["--usage-output-file", usageFile] : []),
      ...passed.flags,
    ],
    totals: ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"],
    open: () => openCopilotReader(() => usageIn(usageFile)),
  };
  const host = await cliHost(mode, starter, env)({ ...place, env: { ...place.env, ...passed.env } });
  return { host, missed: passed.missed };
}

/** The first version in which we saw the flag. An older one would refuse to start. */
const USAGE_SINCE = [1, 0, 102];

function writesUsage(version: string | null): boolean {
  const parts = (version ?? "0").split(".").map(Number);
  const [index = -1] = USAGE_SINCE.keys().filter((at) => parts[at] !== USAGE_SINCE[at]);
  return index === -1 || (parts[index] ?? 0) > (USAGE_SINCE[index] ?? 0);
}

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

const MAX_BYTES = 1024 * 1024;

/** The tokens of all models in a file of `copilot --usage-output-file`; undefined if there is no such file. */
function usageIn(path: string): Usage | undefined {
  try {
    const file: unknown = parseJson(readBoundedText(path, MAX_BYTES));
    const models = isRecord(file) && isRecord(file["modelMetrics"]) ? Object.values(file["modelMetrics"]) : [];
    const usages = models.map((model) => (isRecord(model) ? model["usage"] : undefined));
    const total = (name: string) => {
      const counts = usages.map((usage) => numberOf(usage, name)).filter((count) => count !== null);
      return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
    };
    return {
      ...NO_USAGE,
      input_tokens: total("inputTokens"),
      output_tokens: total("outputTokens"),
      cache_read_tokens: total("cacheReadTokens"),
      cache_write_tokens: total("cacheWriteTokens"),
    };
  } catch {
    return undefined;
  }
}
