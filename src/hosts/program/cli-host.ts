import { findBinary } from "../../agents/find-binary.ts";
import type { Agent } from "../../agents/pack/agent.ts";
import type { HeadlessMode } from "../../agents/pack/headless-mode.ts";
import { type HostJob, type OpenHost, ProtocolError } from "../../backplane/host.ts";
import type { AgentEvent } from "../../contract/agent-event.ts";
import type { HostEnd } from "../../contract/host-end.ts";
import { usageSince } from "../../contract/usage-total.ts";
import { composePrompt } from "./compose-prompt.ts";
import { notResumed } from "./not-resumed.ts";
import { workspaceRoots } from "./program.ts";
import { type Following, type ProgramTurn, takeTurn } from "./program-turn.ts";
import { type AgentStarter, identifyAgent, type StartedAgent } from "./start-agent.ts";

/** A host for an agent's own program and its stream of JSON records. */
export function cliHost(mode: HeadlessMode, starter: AgentStarter, env: NodeJS.ProcessEnv): OpenHost {
  const { agent, capabilities } = mode;
  // Only checks that it is installed; nothing starts before the workspace is known.
  findBinary(agent, env, []);
  return async (place) => {
    const identity = await identifyAgent(agent, env, workspaceRoots(place));
    let started: StartedAgent | undefined;
    const starting: AgentStarter = {
      ...starter,
      start: async (request) => (started = await starter.start(request)),
    };
    return {
      backend: { id: agent.name, backend_version: identity.version, adapter_version: "1" },
      capabilities,
      agent: identity,
      holds: starter.holds,
      containment: () => started?.containment?.(),
      run: (job) => follow(job, { mode, starter: starting, place, version: identity.version }),
      async [Symbol.asyncDispose]() {},
    };
  };
}

/** Continues the conversation of the round before, if there is one and the agent can. Otherwise it begins a new one. */
async function* follow(job: HostJob, following: Following): AsyncGenerator<AgentEvent, HostEnd> {
  const { agent, totals = [] } = following.mode;
  const { followUp } = job;
  if (followUp !== undefined && agent.resume !== undefined) {
    const { session, prompt, used } = followUp;
    const turn =
      session === undefined
        ? NOT_BEGUN
        : yield* takeTurn(job, { ...following, prompt, resumed: agent.resume(session) });
    if (turn.end !== undefined && (turn.hasWorked || turn.end.outcome === "complete" || job.signal.aborted)) {
      yield* turn.held;
      return { ...turn.end, usage: usageSince(turn.end.usage, used, totals) };
    }
    if (turn.hasWorked || job.signal.aborted) throw endedEarly(agent, turn.how);
    yield notResumed(agent.title, whyNot(turn));
  }
  const { text, warnings } = composePrompt(job);
  yield* warnings;
  const { end, how } = yield* takeTurn(job, { ...following, prompt: text });
  if (end === undefined) throw endedEarly(agent, how);
  return end;
}

const endedEarly = ({ title }: Agent, how: string) => new ProtocolError(`${title} ended without a result: ${how}`);

const NOT_BEGUN: ProgramTurn = { end: undefined, how: "it reported no session id", hasWorked: false, held: [] };

const whyNot = ({ held: [error], how }: ProgramTurn) => (error?.type === "error" ? error.message : how);
