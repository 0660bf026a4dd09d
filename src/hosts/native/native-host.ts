import type { Host, HostJob, OpenHost } from "../../backplane/host.ts";
import type { HostEnd } from "../../contract/host-end.ts";
import type { AgentEvent } from "../../contract/agent-event.ts";
import { type Capabilities, CODING_AGENT } from "../../contract/capability.ts";
import type { Permit } from "../../contract/tool.ts";
import type { ModelCall } from "../../contract/tool-call.ts";
import type { SessionOutcome } from "../../contract/engine-event.ts";
import { toolKind } from "../../guard/judge/tool-kind.ts";
import type { CommandContainment } from "../../tools/command/contained-commands.ts";
import { messageOf } from "../../lib/message-of.ts";
import { composePrompt } from "../program/compose-prompt.ts";
import { notResumed } from "../program/not-resumed.ts";
import type { NativeSettings } from "./native-settings.ts";
import { nativeOpener, type NativeSession, type OpenNative } from "./open-native.ts";
import { sessionCall } from "./sub-agents/session-call.ts";
import { outcomeLines } from "./describe-event.ts";
import { nativeEvents } from "./native-events.ts";

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
      run: (job) => follow(job, { settings, root, onOpen: (session) => (facts = session.containment) }),
      async [Symbol.asyncDispose]() {},
    };
  };
}

interface Following {
  readonly settings: NativeSettings;
  readonly root: string;
  readonly onOpen: (session: NativeSession) => void;
}

async function* follow(job: HostJob, { settings, root, onOpen }: Following): AsyncGenerator<AgentEvent, HostEnd> {
  const denied = new Set<string>();
  const judged = new Set<string>();
  const open = nativeOpener({
    ...settings,
    recovery: job.recovery,
    guardAlso: (permit, containment) => withRunRules(job, permit, { denied, judged, containment }),
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

interface CallIds {
  readonly denied: Set<string>;
  readonly judged: Set<string>;
  readonly containment: CommandContainment;
}

/** Applies the run's rules first, then the engine's own. */
function withRunRules(job: HostJob, permit: Permit, { denied, judged, containment }: CallIds): Permit {
  return async (call, signal) => {
    judged.add(call.id);
    const place = toolKind(call.name) === "shell" ? await containment.judged() : {};
    const decision = job.decide({ id: call.id, tool: call.name, input: call.input }, place);
    const permission =
      decision.verdict === "allow"
        ? await permit(call, signal)
        : ({ verdict: "deny", because: decision.because } as const);
    if (permission.verdict !== "allow") denied.add(call.id);
    return permission;
  };
}

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
function ownStop(outcome: SessionOutcome): Pick<HostEnd, "stopped" | "because"> {
  const { reason, gate } = outcome;
  const because = outcomeLines(outcome).at(-1);
  if (reason === "limit") return { stopped: "limit", because };
  if (reason === "no-progress") return { stopped: "no_progress", because };
  return reason === "gate-gave-up" && gate !== "acceptance" ? { stopped: "blocked", because } : {};
}
