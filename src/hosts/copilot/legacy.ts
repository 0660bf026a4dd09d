import { numberOf, textOf } from "../../agents/pack/records.ts";
import type { HostJob, OpenHost } from "../../receipts/host.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { type HostEnd, NO_USAGE, Usage } from "../../contract/receipt.ts";
import { decodeLines } from "../../lib/text/decode-lines.ts";
import { parseExactJson } from "../../lib/json/exact-json.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { composePrompt, openMode } from "../program/compose-prompt.ts";
import { describeProgramEnd, hostEnvironment, startHostCommand } from "../program/program.ts";
import { copilotRequest } from "./session-settings.ts";
import { COPILOT_BACKEND, UNKNOWN_COPILOT } from "./settings.ts";

/** A program that reads the request as JSON on stdin and prints JSON or plain lines. Its calls cannot be held back. */
export function legacyRunner([path = "", ...argv]: readonly string[], env: NodeJS.ProcessEnv): OpenHost {
  return async (place) => ({
    backend: COPILOT_BACKEND,
    capabilities: { streaming: "native" },
    agent: UNKNOWN_COPILOT,
    holds: false,
    async *run(job) {
      await using program = await startHostCommand({ path, argv }, place, hostEnvironment(env, place));
      const prompt = composePrompt(job);
      yield* prompt.warnings;
      const end = () => void program[Symbol.asyncDispose]();
      job.signal.addEventListener("abort", end, { once: true });
      program.write(`${JSON.stringify(copilotRequest(job, prompt.text))}\n`);
      program.endInput();
      const { mode, show } = openMode(job);
      const raw = yield* readLines(program.output, show);
      const { code } = await program.ended;
      if (code !== 0)
        yield newEvent({ type: "error", message: `the runner exited: ${await describeProgramEnd(program)}` });
      return { outcome: code === 0 ? "complete" : "failed", mode, usage: legacyUsage(raw), usageRaw: raw };
    },
    async [Symbol.asyncDispose]() {},
  });
}

type LegacyRecord = Readonly<Record<string, unknown>>;

/** Returns what it reports about usage. */
async function* readLines(
  output: AsyncIterable<Uint8Array>,
  show: (event: AgentEvent, raw: unknown) => AgentEvent,
): AsyncGenerator<AgentEvent, LegacyRecord> {
  let raw: LegacyRecord = {};
  for await (const line of decodeLines(output)) {
    if ("fault" in line) yield newEvent({ type: "warning", message: `the runner printed ${line.fault}` });
    else {
      const record = recordIn(line.text);
      const { usage } = record ?? {};
      if (record !== undefined && textOf(record, "type").includes("usage"))
        raw = { ...raw, ...(isRecord(usage) ? usage : record) };
      else {
        const event =
          record === undefined ? newEvent({ type: "assistant_delta", text: `${line.text}\n` }) : legacyEvent(record);
        yield show(event, record ?? line.text);
      }
    }
  }
  return raw;
}

function recordIn(text: string): LegacyRecord | undefined {
  try {
    const value = parseExactJson(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The first non-empty text under one of these names. */
const firstText = (record: LegacyRecord, names: readonly string[]) =>
  names.map((name) => textOf(record, name)).find((text) => text !== "");

/** Converts a runner's line to an event. The kind may appear anywhere in its type. */
function legacyEvent(record: LegacyRecord): AgentEvent {
  const type = textOf(record, "type");
  const text = firstText(record, ["text", "content", "message"]) ?? "";
  if (type.includes("tool_call") || type.includes("tool_result")) return toolEvent(record, type);
  if (type.includes("delta")) return newEvent({ type: "assistant_delta", text });
  if (type.includes("warning")) return newEvent({ type: "warning", message: text });
  if (type.includes("error")) return newEvent({ type: "error", message: text });
  if (type.includes("assistant")) return newEvent({ type: "assistant_message", text });
  const message = "the runner printed an unknown kind of event";
  return newEvent({ type: "warning", message, ext: { raw_event: record } });
}

function toolEvent(record: LegacyRecord, type: string): AgentEvent {
  const tool_name = firstText(record, ["tool_name", "toolName", "name"]) ?? "unknown";
  const tool_use_id = firstText(record, ["tool_use_id", "toolUseId", "id"]) ?? null;
  if (type.includes("tool_call"))
    return newEvent({
      type: "tool_call",
      tool_name,
      tool_use_id,
      input: record["input"] ?? record["arguments"] ?? null,
    });
  const is_error = record["is_error"] === true || record["isError"] === true;
  const output = record["output"] ?? record["result"] ?? null;
  return newEvent({ type: "tool_result", tool_name, tool_use_id, output, is_error });
}

const NAMES: Readonly<Record<Exclude<keyof Usage, "estimated_cost_usd">, readonly string[]>> = {
  input_tokens: ["input_tokens", "inputTokens", "prompt_tokens", "promptTokens"],
  output_tokens: ["output_tokens", "outputTokens", "completion_tokens", "completionTokens"],
  cache_read_tokens: ["cache_read_tokens", "cacheReadTokens"],
  cache_write_tokens: ["cache_write_tokens", "cacheWriteTokens"],
  request_units: ["request_units", "requestUnits"],
};

function legacyUsage(raw: LegacyRecord): Usage {
  const first = (names: readonly string[]) =>
    names.map((name) => numberOf(raw, name)).find((value) => value !== null) ?? null;
  const counts = Object.fromEntries(Object.entries(NAMES).map(([name, names]) => [name, first(names)]));
  const parsed = Usage.safeParse({ ...counts, estimated_cost_usd: first(["estimated_cost_usd", "estimatedCostUsd"]) });
  return parsed.success ? parsed.data : NO_USAGE;
}

/** Explains that nothing is available to do the work. */
export async function* explainNothing(job: HostJob): AsyncGenerator<AgentEvent, HostEnd> {
  const text = `Copilot is not available for this task: install the copilot program or @github/copilot-sdk, or set ABP_COPILOT_RUNNER. (${job.runId})`;
  yield newEvent({ type: "assistant_message", text });
  return { outcome: "partial", mode: "mapped", usage: NO_USAGE, usageRaw: { mode: "nothing_configured" } };
}
