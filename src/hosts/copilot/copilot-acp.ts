import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type McpServer, ndJsonStream } from "@agentclientprotocol/sdk";
import { copilot } from "../../agents/copilot/program.ts";
import { findBinary } from "../../agents/find-binary.ts";
import { textOf } from "../../agents/pack/records.ts";
import { childEnvironment } from "../../launch/child-environment.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { UserError } from "../../lib/text/user-error.ts";
import type { Host, HostPlace } from "../../receipts/host.ts";
import type { AcpPeer } from "../acp/acp-session.ts";
import { acpHost, type AcpOptions, type AcpTurn, openAcp } from "../acp/acp.ts";
import { type HostCommand, startHostCommand, workspaceRoots } from "../program/program.ts";
import { identifyAgent } from "../program/start-agent.ts";
import { type OpenedWay, programSettings, type SessionSettings, unpassable } from "./session-settings.ts";
import { type CopilotSettings, portOf } from "./settings.ts";

/** Copilot over ACP: on its standard streams, at an address, or on a port that we start it on. */
export async function openCopilotAcp(
  place: HostPlace,
  { acpUrl, acpCommand, acpPort, isApproved }: CopilotSettings,
  wanted: SessionSettings,
  env: NodeJS.ProcessEnv,
): Promise<OpenedWay> {
  const ownError = (turn: AcpTurn) => copilotError(turn, env);
  const noticeOfDenial = "Info: Operation cancelled by user";
  const naming = { name: "copilot", version: "1", isApproved, ownError, noticeOfDenial, shell: "bash" as const };
  // Of a program that we do not know, we know only the protocol.
  const unknown = {
    ...naming,
    session: { sessionId: wanted.sessionId, mcpServers: acpServers(wanted.mcpServers) },
    hasModel: true,
  };
  const missed = unpassable(wanted, ["sessionId", "mcpServers"]);
  if (acpUrl !== undefined) {
    const { host, port } = readAddress(acpUrl);
    return { host: await openAcp(tcpPeer(await connectWithRetry(host, port)), unknown), missed };
  }
  if (acpCommand !== undefined && acpPort === undefined) {
    const [path = "", ...argv] = acpCommand;
    return { host: await acpHost({ path, argv }, childEnvironment(copilot, env, ""), unknown)(place), missed };
  }
  const passed = programSettings(wanted, place.folder, { ...env, ...place.env });
  const identity = await identifyAgent(copilot, env, place);
  const known = { ...naming, session: { sessionId: wanted.sessionId }, hasModel: true, identity };
  const [path, ...leading] = findBinary(copilot, env, workspaceRoots(place)).words;
  const words = (flags: readonly string[]) => [...leading, ...flags, "--no-auto-update", ...passed.flags];
  const settled = { ...place, env: { ...place.env, ...passed.env } };
  const host =
    acpPort === undefined
      ? await acpHost({ path, argv: words(["--acp"]) }, childEnvironment(copilot, env, ""), known)(settled)
      : await openOnPort(settled, { path, argv: words(["--acp", "--port", String(acpPort)]) }, acpPort, {
          env: childEnvironment(copilot, { ...env, ...settled.env }, place.runId),
          options: known,
        });
  return { host, missed: passed.missed };
}

/** MCP servers in the protocol's form. */
function acpServers(servers: Readonly<Record<string, unknown>>): McpServer[] {
  const pairs = (value: unknown) =>
    Object.entries(isRecord(value) ? value : {}).map(([name, text]) => ({ name, value: String(text) }));
  return Object.entries(servers).flatMap(([name, server]): McpServer[] => {
    if (!isRecord(server)) return [];
    const [command, url] = [textOf(server, "command"), textOf(server, "url")];
    if (command !== "")
      return [{ name, command, args: [...(strings(server["args"]) ?? [])], env: pairs(server["env"]) }];
    const type = server["type"] === "sse" ? ("sse" as const) : ("http" as const);
    return url === "" ? [] : [{ type, name, url, headers: pairs(server["headers"]) }];
  });
}

/** Starts the program and connects to the port on which it listens. */
async function openOnPort(
  place: HostPlace,
  command: HostCommand,
  port: number,
  { env, options }: { readonly env: NodeJS.ProcessEnv; readonly options: AcpOptions },
): Promise<Host> {
  const program = await startHostCommand(command, place, env);
  try {
    const peer = tcpPeer(await connectWithRetry("127.0.0.1", port));
    const both = async () => {
      await peer[Symbol.asyncDispose]();
      await program[Symbol.asyncDispose]();
    };
    return await openAcp({ ...peer, [Symbol.asyncDispose]: both }, options);
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
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

/**
 * The text of Copilot's own error, if one ended the turn. Over ACP, such an error is the last text chunk of a turn that
 * otherwise looks successful. Copilot's session record shows whether Copilot or the model wrote it.
 */
export function copilotError(turn: AcpTurn, env: NodeJS.ProcessEnv): string | undefined {
  const [last = "", before = ""] = turn.pieces.toReversed();
  if (!last.startsWith(MARK)) return undefined;
  const message = last.slice(MARK.length);
  const recorded = recordedErrors(turn.sessionId, env);
  const own = recorded === undefined ? !turn.counted || RETRYING.test(before) : recorded.includes(message);
  return own ? message : undefined;
}

const MARK = "Error: ";

/** Used without a record. If the model answered, it used tokens, and an answer does not follow a failed attempt. */
const RETRYING = /^Info: [^\n]{1,200} Retrying\.\.\.$/;

const MAX_BYTES = 64 * 1024 * 1024;

/** The errors in a session's record; undefined if the record cannot be read. */
function recordedErrors(sessionId: string, env: NodeJS.ProcessEnv): readonly string[] | undefined {
  if (!/^[\w-]{1,100}$/.test(sessionId)) return undefined;
  const home = env["COPILOT_HOME"] || join(env["HOME"] ?? "/", ".copilot");
  try {
    const lines = readBounded(join(home, "session-state", sessionId, "events.jsonl"), MAX_BYTES).bytes;
    return lines
      .toString("utf8")
      .split("\n")
      .filter((line) => line.includes('"session.error"'))
      .map(errorIn);
  } catch {
    // Another machine, home, or version of Copilot. Decide from the turn alone.
    return undefined;
  }
}

function errorIn(line: string): string {
  const record: unknown = parseJson(line);
  return isRecord(record) && record["type"] === "session.error" ? textOf(record["data"], "message") : "";
}
