import { type AgentEvent, deniedEvents, newEvent } from "../../contract/agent-event.ts";
import { type ToolKind, toolKind } from "../../guard/judge/tool-call.ts";
import { parseExactJson } from "../../lib/json/exact-json.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import type { CallAnswer, HeldCall } from "../host.ts";
import { callKey } from "./order-guard.ts";

type ToolResult = Extract<AgentEvent, { type: "tool_result" }>;

/**
 * Joins the calls that were judged with the calls that the agent reports, so that each is in the trace exactly once. A
 * judged call that the agent leaves out is added. A denied call has exactly one result, which says why.
 */
export interface TraceCalls {
  readonly judged: (call: HeldCall, answer: CallAnswer) => void;
  /** The events to record for an event of the host. */
  readonly see: (event: AgentEvent) => readonly AgentEvent[];
  /** What is missing once the host has ended. */
  readonly finish: () => readonly AgentEvent[];
}

export function openTraceCalls(): TraceCalls {
  const state: TraceState = { judged: [], reported: [], byId: new Map(), added: 0, lastWarning: "" };
  return {
    judged(call, answer) {
      const next = tracedCall(call, answer);
      const seen = reportedFor(next, state.reported);
      if (seen !== undefined) claim(next, seen.event, state);
      state.reported = state.reported.filter((other) => other !== seen);
      state.judged.push(next);
    },
    see(event) {
      const events = eventsFor(event, state);
      state.judged = state.judged.filter((call) => !call.isReported || isOpen(call));
      return events;
    },
    finish: () => complete(state.judged.filter(isOpen), state),
  };
}

interface TraceState {
  /** Calls of which something may still come. */
  judged: TracedCall[];
  /** Calls of the host that nobody has judged yet. */
  reported: readonly ReportedCall[];
  /** By the host's id. */
  readonly byId: Map<string, TracedCall>;
  added: number;
  lastWarning: string;
}

function eventsFor(event: AgentEvent, state: TraceState): readonly AgentEvent[] {
  if (event.type === "tool_call") return callEvents(event, state);
  if (event.type === "tool_result") return resultEvents(event, state);
  if (event.type === "warning") state.lastWarning = event.message;
  // When the model speaks again, it knows the results of its calls. A call that is reported even later is recognised.
  const isAnswer = event.type === "assistant_message" || event.type === "assistant_delta";
  return isAnswer ? [...complete(state.judged.filter(isDue), state), event] : [event];
}

function callEvents(event: ToolCall, state: TraceState): readonly AgentEvent[] {
  const seen = reportedCall(event);
  const call = judgedFor(seen, state.judged);
  const earlier = call === undefined ? state.judged : state.judged.slice(0, state.judged.indexOf(call));
  const added = complete(
    earlier.filter((other) => isDenied(other) && isDue(other)),
    state,
  );
  if (call === undefined) {
    state.reported = [...state.reported, seen];
    return [...added, event];
  }
  const isInTrace = call.hasCall;
  claim(call, event, state);
  return isInTrace ? added : [...added, inOriginalForm(event, call)];
}

function resultEvents(event: ToolResult, state: TraceState): readonly AgentEvent[] {
  const call = callOf(event, state);
  if (call === undefined) return [event];
  const added = missingCall(call, state);
  const didRun = !event.is_error && !(isRecord(event.output) && event.output["denied"] === true);
  if (isDenied(call) && !didRun) return [...added, ...denial(call, state, event.ext)];
  call.hasResult = true;
  return [...added, { ...event, tool_use_id: call.traceId }];
}

function callOf({ tool_use_id: id, tool_name: tool }: ToolResult, { judged, byId }: TraceState) {
  if (id !== null) return byId.get(id) ?? judged.find((call) => call.id === id);
  return judged.find((call) => call.isReported && call.traceId === null && call.tool === tool);
}

/** The host reports a call whose id it knows in its own time. */
const isDue = (call: TracedCall) => isOpen(call) && (call.hasCall || call.id === undefined);

/** Takes an event of the host as this call. */
function claim(call: TracedCall, event: ToolCall, { byId }: TraceState): void {
  call.isReported = true;
  if (event.tool_use_id !== null) byId.set(event.tool_use_id, call);
  if (call.hasCall) return;
  call.hasCall = true;
  call.traceId = event.tool_use_id;
}

/** Everything that the trace lacks of these calls. */
const complete = (calls: readonly TracedCall[], state: TraceState): AgentEvent[] =>
  calls.flatMap((call) => [...missingCall(call, state), ...(isDenied(call) ? denial(call, state) : [])]);

function missingCall(call: TracedCall, state: TraceState): AgentEvent[] {
  if (call.hasCall) return [];
  call.hasCall = true;
  call.traceId = call.id ?? `judged-${++state.added}`;
  const input = parseExactJson(JSON.stringify(call.input ?? null));
  const fields = { tool_name: call.tool, tool_use_id: call.traceId, input };
  return [newEvent({ type: "tool_call", ...fields, ext: { reported_by: "guard" } })];
}

function denial(call: TracedCall, state: TraceState, ext?: AgentEvent["ext"]): AgentEvent[] {
  if (call.hasResult) return [];
  call.hasResult = true;
  const events = deniedEvents({ tool: call.tool, id: call.traceId ?? undefined }, call.because);
  // A host may have said so itself.
  return events
    .filter((event) => event.type !== "warning" || event.message !== state.lastWarning)
    .map((event) => (event.type === "tool_result" && ext !== undefined ? { ...event, ext } : event));
}

type ToolCall = Extract<AgentEvent, { type: "tool_call" }>;

/** A call that was judged, and what the trace has of it. */
interface TracedCall extends HeldCall, CallAnswer {
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
interface ReportedCall {
  readonly event: ToolCall;
  readonly key: string;
  readonly kind: ToolKind;
}

const tracedCall = (call: HeldCall, { verdict, because }: CallAnswer): TracedCall => ({
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

const reportedCall = (event: ToolCall): ReportedCall => ({
  event,
  key: callKey({ tool: event.tool_name, input: event.input }),
  kind: toolKind(event.tool_name),
});

const isDenied = ({ verdict }: CallAnswer) => verdict !== "allow";

/** True while the trace lacks the call, or the result of a denied one. */
const isOpen = (call: TracedCall) => !call.hasCall || (isDenied(call) && !call.hasResult);

/** The judged call that an event reports. Calls that are not in the trace yet come first, and allowed before denied. */
function judgedFor(seen: ReportedCall, judged: readonly TracedCall[]): TracedCall | undefined {
  const rank = (call: TracedCall) => (call.hasCall ? 2 : isDenied(call) ? 1 : 0);
  const calls = judged.filter(({ isReported }) => !isReported).toSorted((one, other) => rank(one) - rank(other));
  return calls.find((call) => isSame(call, seen)) ?? calls.find((call) => isAlike(call, seen));
}

/** The reported call that was judged, for agents that report a call before their hook asks about it. */
const reportedFor = (call: TracedCall, reported: readonly ReportedCall[]): ReportedCall | undefined =>
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
function inOriginalForm(event: ToolCall, call: TracedCall): ToolCall {
  const [command, reported] = [commandOf(call.input), commandOf(event.input)];
  if (call.kind !== "shell" || command === "" || command === reported || !isRecord(event.input)) return event;
  return { ...event, input: { ...event.input, command }, ext: { ...event.ext, reported_command: reported } };
}

function commandOf(input: unknown): string {
  const command = isRecord(input) ? input["command"] : undefined;
  return typeof command === "string" ? command : "";
}
