import { isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { textOf } from "../../agents/pack/records.ts";
import type { Host, HostJob } from "../../receipts/host.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import { type HostEnd, NO_USAGE, Outcome, Usage } from "../../contract/receipt.ts";
import { type AsyncQueue, asyncQueue } from "../../lib/process/tasks.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { composePrompt, openMode } from "../program/compose-prompt.ts";
import { copilotRequest } from "./session-settings.ts";
import { COPILOT_BACKEND, UNKNOWN_COPILOT, vendorSettings } from "./settings.ts";

interface Adapter {
  run(context: object): Promise<unknown>;
}

const isAdapter = (value: unknown): value is Adapter => isRecord(value) && typeof value["run"] === "function";

/** A third-party adapter, loaded the way our predecessor does. It provides the transport; we enforce the rules. */
export async function openAdapter(module: string): Promise<Host> {
  const path = isAbsolute(module) ? module : resolve(module);
  const loaded: unknown = await import(pathToFileURL(path).href);
  const adapter = isAdapter(loaded) ? loaded : isRecord(loaded) ? loaded["default"] : undefined;
  if (!isAdapter(adapter)) throw new Error(`${module} exports no run()`);
  return {
    backend: COPILOT_BACKEND,
    capabilities: { streaming: "native" },
    agent: UNKNOWN_COPILOT,
    holds: false,
    run: (job) => follow(adapter, job),
    async [Symbol.asyncDispose]() {},
  };
}

async function* follow(adapter: Adapter, job: HostJob): AsyncGenerator<AgentEvent, HostEnd> {
  const events = asyncQueue<AgentEvent>();
  const prompt = composePrompt(job);
  yield* prompt.warnings;
  let result: unknown;
  void adapter.run(adapterContext(job, prompt.text, events)).then(
    (value) => {
      result = value;
      events.end();
    },
    (error: unknown) => {
      events.push(newEvent({ type: "error", message: messageOf(error) }));
      result = { outcome: "failed" };
      events.end();
    },
  );
  yield* events;
  const fields = isRecord(result) ? result : {};
  const outcome = Outcome.safeParse(fields["outcome"] ?? "complete");
  const usage = Usage.safeParse(fields["usage"] ?? {});
  return {
    outcome: outcome.success ? outcome.data : "failed",
    mode: openMode(job).mode,
    usage: usage.success ? usage.data : NO_USAGE,
    usageRaw: fields["usageRaw"] ?? null,
  };
}

/** The context object that the predecessor's adapters expect. `emitToolCall` returns null for a denied call. */
function adapterContext(job: HostJob, prompt: string, events: AsyncQueue<AgentEvent>) {
  const { order, runId, decide, judge } = job;
  const vendor = vendorSettings(order.config.vendor);
  const { show } = openMode(job);
  const push = (event: AgentEvent, raw: unknown) => events.push(show(event, raw ?? null));
  let count = 0;
  const emitToolCall = (call: unknown): string | null => {
    const [tool, id] = [textOf(call, "toolName"), textOf(call, "toolUseId") || `call-${++count}`];
    const input = isRecord(call) ? (call["input"] ?? null) : null;
    const { verdict } = decide({ tool, input, id });
    const parent_tool_use_id = textOf(call, "parentToolUseId") || null;
    push(newEvent({ type: "tool_call", tool_name: tool, tool_use_id: id, parent_tool_use_id, input }), call);
    return verdict === "allow" ? id : null;
  };
  return {
    run_id: runId,
    workOrder: order,
    request: copilotRequest(job, prompt),
    sdkOptions: {
      model: vendor["model"] ?? order.config.model,
      reasoningEffort: vendor["reasoningEffort"],
      systemMessage: vendor["systemMessage"],
      allowedTools: order.policy.allowed_tools,
      disallowedTools: order.policy.disallowed_tools,
      vendor,
    },
    policy: order.policy,
    policyEngine: { preTool: (tool: string, input: unknown) => judge({ tool, input }) },
    emitAssistantDelta: (text: string) => push(newEvent({ type: "assistant_delta", text }), text),
    emitAssistantMessage: (text: string) => push(newEvent({ type: "assistant_message", text }), text),
    emitToolCall,
    emitToolResult: (result: unknown) =>
      push(
        newEvent({
          type: "tool_result",
          tool_name: textOf(result, "toolName"),
          tool_use_id: textOf(result, "toolUseId") || null,
          output: isRecord(result) ? (result["output"] ?? null) : null,
          is_error: isRecord(result) && result["isError"] === true,
        }),
        result,
      ),
    emitWarning: (message: string) => events.push(newEvent({ type: "warning", message })),
    emitError: (message: string) => events.push(newEvent({ type: "error", message })),
    log: () => undefined,
  };
}
