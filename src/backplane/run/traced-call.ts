import type { AgentEvent } from "../../contract/agent-event.ts";
import { type ToolKind, toolKind } from "../../guard/judge/tool-kind.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { CallAnswer, HeldCall } from "../host.ts";
import { callKey } from "./call-ledger.ts";

export type ToolCall = Extract<AgentEvent, { type: "tool_call" }>;

/** A call that was judged, and what the trace has of it. */
export interface TracedCall extends HeldCall, CallAnswer {
  readonly key: string;
  readonly kind: ToolKind;
  /** True once an event of the host was recognised as this call. */
  isReported: boolean;
  hasCall: boolean;
  hasResult: boolean;
  /** The call's id in the trace. */
  traceId: string | null;
}

/** A call in an event of the host. */
export interface ReportedCall {
  readonly event: ToolCall;
  readonly key: string;
  readonly kind: ToolKind;
}

export const tracedCall = (call: HeldCall, { verdict, because }: CallAnswer): TracedCall => ({
  ...call,
  verdict,
  because,
  key: callKey({ tool: call.tool, input: call.input }),
  kind: toolKind(call.tool),
  isReported: false,
  hasCall: false,
  hasResult: false,
  traceId: null,
});

export const reportedCall = (event: ToolCall): ReportedCall => ({
  event,
  key: callKey({ tool: event.tool_name, input: event.input }),
  kind: toolKind(event.tool_name),
});

export const isDenied = ({ verdict }: CallAnswer) => verdict !== "allow";

/** True while the trace lacks the call, or the result of a denied one. */
export const isOpen = (call: TracedCall) => !call.hasCall || (isDenied(call) && !call.hasResult);

/** The judged call that an event reports. Calls that are not in the trace yet come first, and allowed before denied. */
export function judgedFor(seen: ReportedCall, judged: readonly TracedCall[]): TracedCall | undefined {
  const rank = (call: TracedCall) => (call.hasCall ? 2 : isDenied(call) ? 1 : 0);
  const calls = judged.filter(({ isReported }) => !isReported).toSorted((one, other) => rank(one) - rank(other));
  return calls.find((call) => isSame(call, seen)) ?? calls.find((call) => isAlike(call, seen));
}

/** The reported call that was judged, for agents that report a call before their hook asks about it. */
export const reportedFor = (call: TracedCall, reported: readonly ReportedCall[]): ReportedCall | undefined =>
  reported.find((seen) => isSame(call, seen)) ?? reported.find((seen) => isAlike(call, seen));

/** A call with an id is only the one with that id. */
const isSame = (call: TracedCall, { event, key }: ReportedCall) =>
  call.id === undefined ? call.key === key : call.id === event.tool_use_id;

/**
 * Some agents report a call in other words than their hooks do: the paths of a patch instead of the patch, or a command
 * inside another.
 */
function isAlike(call: TracedCall, { event, kind }: ReportedCall): boolean {
  if (call.id !== undefined || call.kind !== kind || kind === "mcp" || kind === "unknown") return false;
  if (kind !== "shell") return true;
  const command = commandOf(call.input);
  return command !== "" && commandOf(event.input).includes(command);
}

/** The event with the command as the model wrote it, where the agent reports what it made of that. */
export function inOriginalForm(event: ToolCall, call: TracedCall): ToolCall {
  const [command, reported] = [commandOf(call.input), commandOf(event.input)];
  if (call.kind !== "shell" || command === "" || command === reported || !isRecord(event.input)) return event;
  return { ...event, input: { ...event.input, command }, ext: { ...event.ext, reported_command: reported } };
}

function commandOf(input: unknown): string {
  const command = isRecord(input) ? input["command"] : undefined;
  return typeof command === "string" ? command : "";
}
