import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { copilot } from "../../agents/copilot/program.ts";
import { findBinary } from "../../agents/find-binary.ts";
import type { HostPlace, OpenHost } from "../../backplane/host.ts";
import { childEnvironment } from "../../launch/child-environment.ts";
import { UserError } from "../../lib/user-error.ts";
import { acpHost } from "../acp/acp-command.ts";
import type { AcpPeer } from "../acp/acp-session.ts";
import { type AcpTurn, openAcp } from "../acp/acp.ts";
import { startHostCommand, workspaceRoots } from "../program/program.ts";
import { copilotError } from "./own-error.ts";
import { type CopilotSettings, portOf } from "./settings.ts";

interface Naming {
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
}

/** Copilot over ACP: on its standard streams, at an address, or on a port that we start it on. */
export function copilotAcp(settings: CopilotSettings, { env, version }: Naming): OpenHost {
  const ownError = (turn: AcpTurn) => copilotError(turn, env);
  const naming = { name: "copilot", version, always: settings.allowAlways, ownError, shell: "bash" as const };
  if (settings.acpUrl !== undefined) {
    const { host, port } = readAddress(settings.acpUrl);
    return async () => await openAcp(tcpPeer(await connectWithRetry(host, port)), naming);
  }
  if (settings.acpPort !== undefined) return onPort(settings.acpPort, env, naming);
  return async (place) => {
    const [path = "", ...argv] = settings.acpCommand ?? acpWords(env, place, ["--acp"]);
    return await acpHost({ path, argv }, childEnvironment(copilot, env, ""), naming)(place);
  };
}

const acpWords = (env: NodeJS.ProcessEnv, place: HostPlace, flags: readonly string[]) => [
  ...findBinary(copilot, env, workspaceRoots(place)).words,
  ...flags,
  "--no-auto-update",
];

function onPort(port: number, env: NodeJS.ProcessEnv, naming: Parameters<typeof openAcp>[1]): OpenHost {
  return async (place) => {
    const { runId, env: added } = place;
    const [path = "", ...argv] = acpWords(env, place, ["--acp", "--port", String(port)]);
    const program = await startHostCommand(
      { path, argv },
      {
        workspaceRoots: workspaceRoots(place),
        env: childEnvironment(copilot, { ...env, ...added }, runId),
        runId,
      },
    );
    try {
      const peer = tcpPeer(await connectWithRetry("127.0.0.1", port));
      const both = async () => {
        await peer[Symbol.asyncDispose]();
        await program[Symbol.asyncDispose]();
      };
      return await openAcp({ ...peer, [Symbol.asyncDispose]: both }, naming);
    } catch (error) {
      await program[Symbol.asyncDispose]();
      throw error;
    }
  };
}

function readAddress(text: string): { host: string; port: number } {
  const [, host = "", port] = /^(?:tcp:\/\/)?(\[[0-9a-f:]+\]|[^:/]+):(\d+)\/?$/i.exec(text) ?? [];
  const number = portOf(port, "ABP_COPILOT_ACP_URL");
  if (host !== "" && number !== undefined) return { host: host.replace(/^\[|\]$/g, ""), port: number };
  throw new UserError("invalid address", {
    where: "ABP_COPILOT_ACP_URL",
    fix: "write tcp://127.0.0.1:3000",
  });
}

const TRIES = 50;
const TRY_MS = 200;

/** A program that has just started may not be listening yet. */
async function connectWithRetry(host: string, port: number): Promise<Socket> {
  for (let tries = 1; ; tries++) {
    const socket = connect({ host, port });
    try {
      await once(socket, "connect");
      return socket;
    } catch (error) {
      socket.destroy();
      if (tries >= TRIES) throw error;
      await sleep(TRY_MS);
    }
  }
}

function tcpPeer(socket: Socket): AcpPeer {
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on("close", () => resolve("the connection was closed"));
  socket.on("error", (error) => resolve(error.message));
  const output = new WritableStream<Uint8Array>({
    write: (chunk) => void socket.write(chunk),
    close: () => void socket.end(),
  });
  return {
    stream: ndJsonStream(output, ReadableStream.from(Readable.from(socket))),
    ending: () => promise,
    [Symbol.asyncDispose]: async () => void socket.destroy(),
  };
}
