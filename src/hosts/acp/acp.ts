import { setImmediate as nextTurn } from "node:timers/promises";
import type { ClientConnection, ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk";
import { textOf } from "../../agents/pack/record-fields.ts";
import { type Host, type HostJob, ProtocolError } from "../../backplane/host.ts";
import { type AgentEvent, deniedEvents, newEvent } from "../../contract/agent-event.ts";
import type { Capabilities } from "../../contract/capability.ts";
import { type HostEnd, NO_USAGE } from "../../contract/host-end.ts";
import { asyncQueue } from "../../lib/async-queue.ts";
import { isRecord } from "../../lib/is-record.ts";
import { composePrompt } from "../program/compose-prompt.ts";
import type { AcpPeer, AcpSession } from "./acp-session.ts";
import { type Ask, asker } from "./ask.ts";
import { fileAnswers } from "./files.ts";
import { permissionAnswer } from "./permission.ts";
import { openCalls } from "./tool-calls.ts";

/** A turn that the agent reported as ended. */
export interface AcpTurn {
  readonly sessionId: string;
  /** The text chunks after the last tool call, in order. */
  readonly pieces: readonly string[];
  /** Whether the answer includes the model's usage. */
  readonly counted: boolean;
}

export interface AcpOptions {
  readonly name: string;
  readonly version: string;
  /** Tools that the user allows without asking again. A denial is still a denial. */
  readonly always: readonly string[];
  /** The shell that the agent runs commands in, if known. */
  readonly shell?: "bash" | undefined;
  /** Returns the error that ended a turn, for agents that send errors as if they were answers. */
  readonly ownError?: (turn: AcpTurn) => string | undefined;
}

/** The capabilities common to all ACP agents. */
export const ACP_CAPABILITIES: Capabilities = {
  streaming: "native",
  tool_use: "native",
  hooks_pre_tool_use: { restricted: { reason: "the agent decides what it asks about" } },
};

const HELLO_MS = 60_000;

/** Opens a session with an ACP agent. The guard decides what the agent asks about; other calls are not held. */
export async function openAcp(peer: AcpPeer, options: AcpOptions): Promise<Host> {
  const { client, PROTOCOL_VERSION, RequestError } = await import("@agentclientprotocol/sdk");
  const current: { session: AcpSession | undefined } = { session: undefined };
  const connection = client({ name: "signalbox" })
    .onRequest("session/request_permission", async ({ params }) => {
      // Updates that arrived before the request are handled in a later turn of the event loop.
      await nextTurn();
      const { session } = current;
      if (session === undefined) return { outcome: { outcome: "cancelled" } };
      const call = session.calls.judged(params.toolCall);
      // The protocol does not say which shell the agent uses.
      const { verdict, because } = session.job.decide({ ...call, shell: options.shell ?? "any" });
      const allowed = verdict === "allow";
      if (!allowed) session.calls.deny(params.toolCall.toolCallId);
      const events = allowed ? session.calls.begin(params.toolCall) : deniedEvents(call, because);
      session.tell(events);
      return permissionAnswer(params.options, { allowed, because, always: options.always.includes(call.tool) });
    })
    .onRequest("fs/read_text_file", ({ params }) => fileAnswers(current.session).read(params))
    .onRequest("fs/write_text_file", ({ params }) => fileAnswers(current.session).write(params))
    .onNotification("session/update", ({ params }) => current.session?.update(params.update))
    .connect(peer.stream);
  const ask = asker(connection, peer, RequestError);
  const hello = await ask(
    ["initialize", "initializeClient"],
    HELLO_REQUEST(PROTOCOL_VERSION, options.version),
    HELLO_MS,
  );
  const version = textOf(isRecord(hello) ? hello["agentInfo"] : undefined, "version") || null;
  return {
    backend: { id: options.name, backend_version: version, adapter_version: "1" },
    capabilities: ACP_CAPABILITIES,
    agent: { name: options.name, version, binary_sha256: null },
    holds: false,
    run: (job) => converse(job, { ask, connection, current, ownError: options.ownError ?? (() => undefined) }),
    async [Symbol.asyncDispose]() {
      connection.close();
      await peer[Symbol.asyncDispose]();
    },
  };
}

const HELLO_REQUEST = (protocolVersion: number, version: string) => ({
  protocolVersion,
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
  clientInfo: { name: "signalbox", version },
});

interface Speaking {
  readonly ask: Ask;
  readonly connection: ClientConnection;
  readonly current: { session: AcpSession | undefined };
  readonly ownError: NonNullable<AcpOptions["ownError"]>;
}

async function* converse(
  job: HostJob,
  { ask, connection, current, ownError }: Speaking,
): AsyncGenerator<AgentEvent, HostEnd> {
  const prompt = composePrompt(job);
  yield* prompt.warnings;
  if (job.order.config.model !== null)
    yield newEvent({ type: "warning", message: "the model of an ACP agent is chosen by its own flags" });
  const events = asyncQueue<AgentEvent>();
  const calls = openCalls();
  const state: TurnState = { pieces: [], cost: 0, stopReason: "", failed: false };
  const tell = (more: readonly AgentEvent[]) => {
    const ext = { usage: { estimated_cost_usd: state.cost } };
    if (more.length > 0) messageOf(state.pieces.splice(0), ext).forEach((event) => events.push(event));
    more.forEach((event) => events.push(event));
  };
  const update = (message: SessionUpdate) => {
    const delta = textIn(message);
    if (delta !== "") events.push(newEvent({ type: "assistant_delta", text: delta }));
    if (delta !== "") state.pieces.push(delta);
    if (message.sessionUpdate === "usage_update" && message.cost?.currency === "USD") state.cost = message.cost.amount;
    if (message.sessionUpdate === "tool_call" || message.sessionUpdate === "tool_call_update")
      tell(calls.update(message));
  };
  current.session = { job, calls, events, update, tell };
  const params = { cwd: job.order.workspace.root, mcpServers: [] };
  const sessionId = textOf(await ask(["session/new", "session/newClient"], params, HELLO_MS), "sessionId");
  if (sessionId === "") throw new ProtocolError("the agent opened no session");
  const cancel = () => void connection.agent.notify("session/cancel", { sessionId }).catch(() => undefined);
  if (job.signal.aborted) cancel();
  job.signal.addEventListener("abort", cancel, { once: true });
  const content: ContentBlock[] = [{ type: "text", text: prompt.text }];
  void ask(["session/prompt", "session/promptClient"], { sessionId, prompt: content }).then(
    async (answer) => {
      await nextTurn();
      state.stopReason = textOf(answer, "stopReason");
      const counted = isRecord(answer) && isRecord(answer["usage"]);
      const message = ownError({ sessionId, pieces: state.pieces, counted });
      state.failed = message !== undefined;
      messageOf(state.failed ? state.pieces.slice(0, -1) : state.pieces).forEach((event) => events.push(event));
      if (message !== undefined) events.push(newEvent({ type: "error", message }));
      events.end();
    },
    (error: unknown) => events.end(error),
  );
  yield* events;
  return endOf(state);
}

interface TurnState {
  /** Text since the last tool call. */
  readonly pieces: string[];
  cost: number;
  stopReason: string;
  failed: boolean;
}

/** Joins text chunks into one message; returns none if there is no text. */
function messageOf(pieces: readonly string[], ext?: AgentEvent["ext"]): readonly AgentEvent[] {
  const message = { type: "assistant_message", text: pieces.join("") } as const;
  return pieces.length === 0 ? [] : [newEvent(ext === undefined ? message : { ...message, ext })];
}

function endOf(state: TurnState): HostEnd {
  const usage = { ...NO_USAGE, estimated_cost_usd: state.cost === 0 ? null : state.cost };
  const limit = state.stopReason === "max_tokens" || state.stopReason === "max_turn_requests";
  const failed = state.failed || state.stopReason === "refusal";
  const outcome = failed ? "failed" : state.stopReason === "end_turn" ? "complete" : "partial";
  return {
    outcome,
    mode: "mapped",
    usage,
    usageRaw: { stopReason: state.stopReason, cost_usd: state.cost },
    stopped: limit ? "limit" : undefined,
  };
}

const textIn = (update: SessionUpdate) =>
  update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "";
