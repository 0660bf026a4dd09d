import type { SessionHeader } from "../../../contract/session-record.ts";
import { makeFolder } from "../../../lib/make-folder.ts";
import { lastAgentNumber } from "../../../sessions/agent-logs.ts";
import { agentsPath, sessionsPlace } from "../../../sessions/folder.ts";
import { createSession, type Session } from "../../../sessions/session.ts";
import type { AgentOrder } from "./agent-order.ts";

interface LogPlace {
  readonly home: string;
  readonly sessionId: string;
}

/** The log of one sub-agent, beside that of its session. */
export function openAgentLog(
  { id, definition, description, mode, callId, startedBy }: AgentOrder,
  { home, sessionId }: LogPlace,
  header: Pick<SessionHeader, "cwd" | "model" | "baseUrl">,
): Session {
  const folder = agentsPath(sessionsPlace(home), sessionId);
  makeFolder(folder);
  const subAgent = {
    session: sessionId,
    ...(startedBy === undefined ? {} : { startedBy }),
    callId,
    definition: definition.name,
    description,
    mode,
  };
  return createSession({ id, ...header, subAgent }, { folder, now: Date.now });
}

/** Counts on from the sub-agents that the session has had. */
export function agentNumbers({ home, sessionId }: LogPlace): () => number {
  let last: number | undefined;
  return () => (last = (last ?? lastAgentNumber(sessionsPlace(home), sessionId)) + 1);
}
