import { setTimeout as sleep } from "node:timers/promises";
import type { ClientConnection, McpServer } from "@agentclientprotocol/sdk";
import { textOf } from "../../agents/pack/records.ts";
import type { AgentEvent } from "../../contract/agent-event.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import { type HostJob, ProtocolError } from "../../receipts/host.ts";
import { composePrompt, notResumed } from "../program/compose-prompt.ts";
import type { AcpPeer } from "./acp-session.ts";

/** How the session of a run begins. */
export interface SessionStart {
  /** An earlier session to continue. */
  readonly sessionId?: string | undefined;
  readonly mcpServers?: readonly McpServer[] | undefined;
}

const SESSION_MS = 60_000;

/**
 * The session of a round and what to say in it: in that of the round before, if the agent can load it, only what was
 * found; in a new one everything.
 */
export async function* openConversation(
  job: HostJob,
  ask: Ask,
  { name, session = {} }: { readonly name: string; readonly session?: SessionStart | undefined },
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

export type Ask = (methods: readonly string[], params: unknown, ms?: number) => Promise<unknown>;

const METHOD_UNKNOWN = -32_601;

/**
 * Sends a request by the first method the agent supports, since older agents know other methods. Rejects if the agent
 * ends before it answers.
 */
export function asker(
  connection: ClientConnection,
  peer: AcpPeer,
  RequestError: new (...args: never) => { readonly code: number },
): Ask {
  return async (methods, params, ms) => {
    const dead = peer.ending().then((how) => Promise.reject(new ProtocolError(`the agent ended: ${how}`)));
    const [late, timer] = ms === undefined ? [dead, undefined] : timeout(ms, methods[0] ?? "");
    try {
      for (const [index, method] of methods.entries()) {
        try {
          return await Promise.race([connection.agent.request(method, params), dead, late]);
        } catch (error) {
          const unknown = error instanceof RequestError && error.code === METHOD_UNKNOWN;
          if (connection.signal.aborted)
            throw new ProtocolError(`the agent ended: ${await soon(peer.ending())}`, { cause: error });
          if (!unknown || index === methods.length - 1) throw asProtocolError(error, method);
        }
      }
      throw new ProtocolError("no method to call");
    } finally {
      clearTimeout(timer);
      dead.catch(() => undefined);
    }
  };
}

/** The connection may close shortly before the program exits. */
const soon = (ending: Promise<string>) =>
  Promise.race([ending, sleep(1000, "it closed the connection", { ref: false })]);

function timeout(ms: number, method: string): [Promise<never>, NodeJS.Timeout] {
  const { promise, reject } = Promise.withResolvers<never>();
  return [
    promise,
    setTimeout(() => reject(new ProtocolError(`the agent did not answer ${method} within ${ms} ms`)), ms),
  ];
}

function asProtocolError(error: unknown, method: string): ProtocolError {
  if (error instanceof ProtocolError) return error;
  return new ProtocolError(`the agent refused ${method}: ${messageOf(error)}${detailsOf(error)}`, { cause: error });
}

/** Some agents say only in the data of an error what went wrong. */
function detailsOf(error: unknown): string {
  const details = error instanceof Error && "data" in error ? textOf(error.data, "details") : "";
  return details === "" ? "" : ` (${details})`;
}
