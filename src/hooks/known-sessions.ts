import { readPayload } from "../agents/dialect/hook-event.ts";
import { eventKey } from "./event-key.ts";
import { type AnswerRequest, isStaged } from "./server.ts";

const SESSION = /"session_?[iI]d": ?"([A-Za-z0-9_-]{1,100})"/;

/** Events that an agent may report to a staged wrapper before it reports anything to the launch. */
const MAX_EARLY = 20;

/**
 * Answers a staged wrapper only for sessions that the launch's own hooks have reported. Another agent started inside this
 * one inherits its variables, but may work elsewhere. Without an answer, its wrapper proceeds as if there were no launch;
 * if the launch's own hooks then report the same event, its hooks have run already.
 */
export function knownSessionsOnly(answer: AnswerRequest): AnswerRequest {
  const known = new Set<string>();
  const early: string[] = [];
  return async (request) => {
    const session = SESSION.exec(request.text)?.[1];
    if (isStaged(request)) {
      if (session !== undefined && !known.has(session) && known.has(parentOf(request.text) ?? "")) known.add(session);
      if (session === undefined || !known.has(session)) {
        const key = request.event === "tool-before" ? undefined : eventKey(request);
        if (key !== undefined) early.splice(0, Math.max(0, early.push(key) - MAX_EARLY));
        throw new Error("this session does not belong to this launch");
      }
      return await answer(request);
    }
    if (session !== undefined) known.add(session);
    const index = early.length === 0 ? -1 : early.indexOf(eventKey(request) ?? "");
    if (index === -1) return await answer(request);
    early.splice(index, 1);
    return { stdout: "{}\n", stderr: "", exit: 0 };
  };
}

/** The session of the agent that started this sub-agent, where the agent reports it. */
function parentOf(text: string): string | undefined {
  try {
    const payload = readPayload(text);
    const parent = payload["parentAgentId"] ?? payload["parent_agent_id"];
    return typeof parent === "string" ? parent : undefined;
  } catch {
    return undefined;
  }
}
