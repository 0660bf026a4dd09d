import type { McpServer } from "@agentclientprotocol/sdk";
import { textOf } from "../../agents/pack/record-fields.ts";
import { type HostJob, ProtocolError } from "../../backplane/host.ts";
import type { AgentEvent } from "../../contract/agent-event.ts";
import { isRecord } from "../../lib/is-record.ts";
import { messageOf } from "../../lib/message-of.ts";
import { composePrompt } from "../program/compose-prompt.ts";
import { notResumed } from "../program/not-resumed.ts";
import type { Ask } from "./ask.ts";

/** How the session of a run begins. */
export interface SessionStart {
  /** An earlier session to continue. */
  readonly sessionId?: string | undefined;
  readonly mcpServers?: readonly McpServer[] | undefined;
}

const SESSION_MS = 60_000;

interface Conversing {
  readonly name: string;
  readonly session?: SessionStart | undefined;
}

/**
 * The session of a round and what to say in it: in that of the round before, if the agent can load it, only what was
 * found; in a new one everything.
 */
export async function* openConversation(
  job: HostJob,
  ask: Ask,
  { name, session = {} }: Conversing,
): AsyncGenerator<AgentEvent, { readonly sessionId: string; readonly text: string }> {
  const { followUp } = job;
  const { root } = job.order.workspace;
  if (followUp !== undefined) {
    try {
      if (followUp.session === undefined) throw new ProtocolError("it does not load sessions");
      const sessionId = await beginSession(ask, root, { ...session, sessionId: followUp.session });
      return { sessionId, text: followUp.prompt };
    } catch (error) {
      if (job.signal.aborted) throw error;
      yield notResumed(name, messageOf(error));
    }
  }
  const { text, warnings } = composePrompt(job);
  yield* warnings;
  const start = followUp === undefined ? session : { ...session, sessionId: undefined };
  return { sessionId: await beginSession(ask, root, start), text };
}

/**
 * Opens a session, or continues an earlier one, and returns its id. While it is loaded, the agent repeats the earlier
 * conversation, which is not part of this run.
 */
async function beginSession(ask: Ask, cwd: string, start: SessionStart): Promise<string> {
  const params = { cwd, mcpServers: start.mcpServers ?? [] };
  if (start.sessionId !== undefined) {
    const { sessionId } = start;
    await ask(["session/load", "session/loadClient"], { sessionId, ...params }, SESSION_MS);
    return sessionId;
  }
  const sessionId = textOf(await ask(["session/new", "session/newClient"], params, SESSION_MS), "sessionId");
  if (sessionId === "") throw new ProtocolError("the agent opened no session");
  return sessionId;
}

/** True if an agent says that it can continue a session. */
export function canLoad(hello: unknown): boolean {
  const abilities = isRecord(hello) ? hello["agentCapabilities"] : undefined;
  return isRecord(abilities) && abilities["loadSession"] === true;
}
