import { type AgentEvent, newEvent } from "../contract/agent-event.ts";
import { type Capabilities, CODING_AGENT } from "../contract/capability.ts";
import type { ModelCall, SessionEvent, SessionOutcome, ToolDeed, ToolEnd } from "../contract/engine-event.ts";
import type { Message } from "../contract/message.ts";
import type { HostEnd } from "../contract/receipt.ts";
import type { Permit } from "../contract/tool.ts";
import { toolKind } from "../guard/judge/tool-call.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { nativeOpener, type NativeSession, type OpenNative } from "../native/session.ts";
import type { NativeSettings } from "../native/settings/session-settings.ts";
import { compactionLine, describeEvent, outcomeLines } from "../native/terminal/event-lines.ts";
import type { Host, HostJob, OpenHost } from "../receipts/host.ts";
import type { CommandContainment } from "../sandbox/run/contained-commands.ts";
import { composePrompt, notResumed } from "./program/compose-prompt.ts";

export const NATIVE_CAPABILITIES: Capabilities = { ...CODING_AGENT, tool_use: "native" };

/** Our own engine as a host. Every call is judged twice: by the run's rules and by the engine's own guard. */
export function nativeHost(settings: NativeSettings, version: string): OpenHost {
  return async ({ root }): Promise<Host> => {
    let facts: NativeSession["containment"] | undefined;
    return {
      backend: { id: "native", backend_version: version, adapter_version: "1" },
      capabilities: NATIVE_CAPABILITIES,
      agent: { name: "native", version, binary_sha256: null },
      holds: true,
      containment: () => facts?.(),
      run: (job) => follow(job, settings, root, (session) => (facts = session.containment)),
      async [Symbol.asyncDispose]() {},
    };
  };
}

async function* follow(
  job: HostJob,
  settings: NativeSettings,
  root: string,
  onOpen: (session: NativeSession) => void,
): AsyncGenerator<AgentEvent, HostEnd> {
  const denied = new Set<string>();
  const judged = new Set<string>();
  const open = nativeOpener({
    ...settings,
    recovery: job.recovery,
    guardAlso: (permit, containment) => async (call, signal) => {
      judged.add(call.id);
      const permission = await withRunRules(job, permit, containment)(call, signal);
      if (permission.verdict !== "allow") denied.add(call.id);
      return permission;
    },
  });
  await using session = yield* openRound(job, root, open);
  onOpen(session);
  const toEvents = nativeEvents(denied);
  const calls = new Map<string, ModelCall>();
  const running = session.conversation.run(job.signal);
  for (let next = await running.next(); ; next = await running.next()) {
    if (next.done === true) return { ...endOf(next.value), session: session.conversation.id };
    // A call with unreadable arguments never reached the guard, but it must still be in the run's log.
    const { event } = sessionCall(next.value);
    if (event.type === "tool-start") calls.set(event.call.id, event.call);
    if (event.type === "tool-end" && !judged.has(event.result.callId)) judge(job, calls.get(event.result.callId));
    yield* toEvents(next.value);
  }
}

/** The session of the round before, or a new one. */
async function* openRound(job: HostJob, cwd: string, open: OpenNative): AsyncGenerator<AgentEvent, NativeSession> {
  const { followUp } = job;
  if (followUp?.session !== undefined) {
    try {
      return await open({ cwd, resume: followUp.session, prompt: followUp.prompt });
    } catch (error) {
      yield notResumed("native", messageOf(error));
    }
  }
  const { text, warnings } = composePrompt(job);
  yield* warnings;
  return await open({ cwd, prompt: text });
}

function judge(job: HostJob, call: ModelCall | undefined): void {
  if (call !== undefined) job.decide({ id: call.id, tool: call.name, input: call.input });
}

/** Applies the run's rules first, then the engine's own. */
const withRunRules =
  (job: HostJob, permit: Permit, containment: CommandContainment): Permit =>
  async (call, signal) => {
    const place = toolKind(call.name) === "shell" ? await containment.judged() : {};
    const { verdict, because } = job.decide({ id: call.id, tool: call.name, input: call.input }, place);
    return verdict === "allow" ? await permit(call, signal) : { verdict: "deny", because };
  };

function endOf(outcome: SessionOutcome): HostEnd {
  const { reason, usage, cost } = outcome;
  return {
    // An agent that gave up at a gate had claimed to be done. The runtime's own check decides whether it was.
    outcome:
      reason === "answered" || reason === "gate-gave-up" ? "complete" : reason === "failed" ? "failed" : "partial",
    mode: "mapped",
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      cache_read_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
      request_units: null,
      estimated_cost_usd: cost ?? null,
    },
    usageRaw: usage,
    ...ownStop(outcome),
  };
}

/** The acceptance check is run again by the run itself, which then says what came of it. */
function ownStop(outcome: SessionOutcome): Partial<HostEnd> {
  const { reason, gate } = outcome;
  const because = outcomeLines(outcome).at(-1);
  if (reason === "limit") return { stopped: "limit", because };
  if (reason === "no-progress") return { stopped: "no_progress", because };
  return reason === "gate-gave-up" && gate !== "acceptance" ? { stopped: "blocked", because } : {};
}

/** Converts engine events to run events. `denied` contains the ids of calls that a rule blocked. */
function nativeEvents(denied: ReadonlySet<string>): (event: SessionEvent) => readonly AgentEvent[] {
  let turn = 0;
  return (whole) => {
    const { event, startedBy } = sessionCall(whole);
    // What a sub-agent says is for the agent that started it.
    if (startedBy !== null && SAID.has(event.type)) return [];
    if (event.type === "turn-start") turn = event.turn;
    return runEvents(event, denied, startedBy, { turn });
  };
}

function runEvents(
  event: SessionEvent,
  denied: ReadonlySet<string>,
  startedBy: string | null,
  ext: { readonly turn: number },
): readonly AgentEvent[] {
  switch (event.type) {
    case "message":
      return messageTexts(event.message).map((text) => newEvent({ type: "assistant_message", text, ext }));
    case "tool-start": {
      const { id, name, input } = event.call;
      const call = { tool_name: name, tool_use_id: id, parent_tool_use_id: startedBy, input: plain(input), ext };
      return [newEvent({ type: "tool_call", ...call })];
    }
    case "tool-end": {
      const { callId, name, text, failed } = event.result;
      const output = denied.has(callId) ? { denied: true, reason: text } : text;
      const result = { tool_name: name, tool_use_id: callId, output, is_error: failed };
      const summary = event.result.ends === undefined ? [] : [event.result.ends.summary];
      return [
        newEvent({ type: "tool_result", ...result }),
        ...deedsOf(event).flatMap(deedEvents),
        ...summary.map((said) => newEvent({ type: "assistant_message", text: said, ext })),
      ];
    }
    case "request-failed":
      return [newEvent({ type: event.retryInMs === null ? "error" : "warning", message: event.because })];
    case "response": {
      const message = describeEvent(event);
      return message === undefined ? [] : [newEvent({ type: "warning", message })];
    }
    case "gate-blocked":
      return [newEvent({ type: "warning", message: `not finished (${event.gate}): ${event.reason}` })];
    case "gate-gave-up":
      return [newEvent({ type: "warning", message: `${event.gate} gave up: ${event.reason}` })];
    case "hook-failed":
      return [newEvent({ type: "warning", message: `a ${event.hook} hook failed: ${event.because}` })];
    case "prompt-refused":
      return [newEvent({ type: "warning", message: `the prompt was refused: ${event.because}` })];
    default: {
      const message = event.type === "compaction-start" ? undefined : warningLine(event);
      return message === undefined ? [] : [newEvent({ type: "warning", message })];
    }
  }
}

const warningLine = (event: SessionEvent) =>
  event.type === "loop-noticed" ? describeEvent(event) : compactionLine(event);

const SAID: ReadonlySet<SessionEvent["type"]> = new Set(["turn-start", "message", "response"]);

/** What a sub-agent did was told with its own calls. */
const deedsOf = ({ result, deeds }: ToolEnd) => (result.name === "task" ? [] : deeds);

function messageTexts(message: Message): readonly string[] {
  if (message.role !== "assistant") return [];
  const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  return text.trim() === "" ? [] : [text];
}

function deedEvents(deed: ToolDeed): readonly AgentEvent[] {
  if (deed.kind === "write") {
    const summary = deed.before === null ? "created" : "changed";
    return [newEvent({ type: "file_changed", path: deed.path, summary })];
  }
  if (deed.kind !== "command") return [];
  const { command, exitCode } = deed;
  return [newEvent({ type: "command_executed", command, exit_code: exitCode, output_preview: null })];
}

/** Input that came as JSON stays JSON; a malformed call has none. */
const plain = (input: unknown) => parseJson(JSON.stringify(input ?? null));

/**
 * An event of any agent of a session, with ids of calls that are unique in the session, and the call that started its
 * agent; null for the session's own agent.
 */
function sessionCall(whole: SessionEvent): { readonly event: SessionEvent; readonly startedBy: string | null } {
  let event = whole;
  let startedBy: string | null = null;
  let prefix = "";
  for (; event.type === "child"; event = event.event) {
    startedBy = `${prefix}${event.callId}`;
    prefix = `${event.agent}/`;
  }
  if (event.type === "tool-start") event = { ...event, call: { ...event.call, id: `${prefix}${event.call.id}` } };
  if (event.type === "tool-end")
    event = { ...event, result: { ...event.result, callId: `${prefix}${event.result.callId}` } };
  return { event, startedBy };
}
