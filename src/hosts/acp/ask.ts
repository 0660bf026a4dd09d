import { setTimeout as sleep } from "node:timers/promises";
import type { ClientConnection } from "@agentclientprotocol/sdk";
import { textOf } from "../../agents/pack/record-fields.ts";
import { ProtocolError } from "../../backplane/host.ts";
import { messageOf } from "../../lib/message-of.ts";
import type { AcpPeer } from "./acp-session.ts";

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
