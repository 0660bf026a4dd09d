import type { McpServer } from "@agentclientprotocol/sdk";
import { textOf } from "../../agents/pack/record-fields.ts";
import { ProtocolError } from "../../backplane/host.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Ask } from "./ask.ts";

/** How the session of a run begins. */
export interface SessionStart {
  /** An earlier session to continue. */
  readonly sessionId?: string | undefined;
  readonly mcpServers?: readonly McpServer[] | undefined;
}

const SESSION_MS = 60_000;

/**
 * Opens a session, or continues an earlier one, and returns its id. While it is loaded, the agent repeats the earlier
 * conversation, which is not part of this run.
 */
export async function beginSession(ask: Ask, cwd: string, start: SessionStart): Promise<string> {
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
