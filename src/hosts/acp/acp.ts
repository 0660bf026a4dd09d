import { setImmediate as nextTurn } from "node:timers/promises";
import type { ClientConnection, ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk";
import { textOf } from "../../agents/pack/record-fields.ts";
import { type Host, type HostJob, ProtocolError } from "../../backplane/host.ts";
import type { AgentEvent } from "../../contract/agent-event.ts";
import type { Capabilities } from "../../contract/capability.ts";
import { type HostEnd, NO_USAGE } from "../../contract/host-end.ts";
import { deniedEvents, newEvent } from "../../contract/new-event.ts";
import { asyncQueue } from "../../lib/async-queue.ts";
import { isRecord } from "../../lib/is-record.ts";
import { composePrompt } from "../program/compose-prompt.ts";
import type { AcpPeer, AcpSession } from "./acp-session.ts";
import { type Ask, asker } from "./ask.ts";
import { fileAnswers } from "./files.ts";
import { permissionAnswer } from "./permission.ts";
import { openCalls } from "./tool-calls.ts";

/** A turn that the agent says it has ended. */
export interface AcpTurn {
  readonly sessionId: string;
  /** The pieces of text after the last tool call, as they came. */
  readonly pieces: readonly string[];
  /** Whether the answer says what the model used. */
  readonly counted: boolean;
}

export interface AcpOptions {
  readonly name: string;
  readonly version: string;
  /** Tools that the person lets the agent use without asking again. A denial stays one. */
  readonly always: readonly string[];
  /** The shell that the agent runs commands in, where it is known. */
  readonly shell?: "bash" | undefined;
  /** The error that a turn ended with, for agents that tell errors as if they were answers. */
  readonly ownError?: (turn: AcpTurn) => string | undefined;
}

/** What holds for every agent that speaks ACP. */
export const ACP_CAPABILITIES: Capabilities = {
  streaming: "native",
  tool_use: "native",
  hooks_pre_tool_use: { restricted: { reason: "the agent decides what it asks about" } },
};

const HELLO_MS = 60_000;

/** Opens a session with an agent that speaks ACP. What the agent asks about is decided by the guard; the rest is not held. */
export async function openAcp(peer: AcpPeer, options: AcpOptions): Promise<Host> {
  const { client, PROTOCOL_VERSION, RequestError } = await import("@agentclientprotocol/sdk");
  const desk: { session: AcpSession | undefined } = { session: undefined };
  const connection = client({ name: "signalbox" })
    .onRequest("session/request_permission", async ({ params }) => {
      // Updates that came before the question are handled on a later turn of the loop.
      await nextTurn();
      const { session } = desk;
      if (session === undefined) return { outcome: { outcome: "cancelled" } };
      const call = session.calls.judged(params.toolCall);
      // Nobody says which shell such an agent uses.
      const { verdict, because } = session.job.decide({ ...call, shell: options.shell ?? "any" });
      const allowed = verdict === "allow";
      if (!allowed) session.calls.deny(params.toolCall.toolCallId);
      const told = allowed ? session.calls.begin(params.toolCall) : deniedEvents(call, because);
      session.tell(told);
      return permissionAnswer(params.options, { allowed, because, always: options.always.includes(call.tool) });
    })
    .onRequest("fs/read_text_file", ({ params }) => fileAnswers(desk.session).read(params))
    .onRequest("fs/write_text_file", ({ params }) => fileAnswers(desk.session).write(params))
    .onNotification("session/update", ({ params }) => desk.session?.update(params.update))
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
    run: (job) => converse(job, { ask, connection, desk, ownError: options.ownError ?? (() => undefined) }),
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
  readonly desk: { session: AcpSession | undefined };
  readonly ownError: NonNullable<AcpOptions["ownError"]>;
}

async function* converse(
  job: HostJob,
  { ask, connection, desk, ownError }: Speaking,
): AsyncGenerator<AgentEvent, HostEnd> {
  const prompt = composePrompt(job);
  yield* prompt.warnings;
  if (job.order.config.model !== null)
    yield newEvent({ type: "warning", message: "the model of an ACP agent is chosen by its own flags" });
  const events = asyncQueue<AgentEvent>();
  const calls = openCalls();
  const told: Told = { pieces: [], cost: 0, stopReason: "", failed: false };
  const tell = (more: readonly AgentEvent[]) => {
    const ext = { usage: { estimated_cost_usd: told.cost } };
    if (more.length > 0) messageOf(told.pieces.splice(0), ext).forEach((event) => events.push(event));
    more.forEach((event) => events.push(event));
  };
  const update = (said: SessionUpdate) => {
    const delta = textIn(said);
    if (delta !== "") events.push(newEvent({ type: "assistant_delta", text: delta }));
    if (delta !== "") told.pieces.push(delta);
    if (said.sessionUpdate === "usage_update" && said.cost?.currency === "USD") told.cost = said.cost.amount;
    if (said.sessionUpdate === "tool_call" || said.sessionUpdate === "tool_call_update") tell(calls.update(said));
  };
  desk.session = { job, calls, events, update, tell };
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
      told.stopReason = textOf(answer, "stopReason");
      const counted = isRecord(answer) && isRecord(answer["usage"]);
      const message = ownError({ sessionId, pieces: told.pieces, counted });
      told.failed = message !== undefined;
      messageOf(told.failed ? told.pieces.slice(0, -1) : told.pieces).forEach((event) => events.push(event));
      if (message !== undefined) events.push(newEvent({ type: "error", message }));
      events.end();
    },
    (error: unknown) => events.end(error),
  );
  yield* events;
  return endOf(told);
}

interface Told {
  /** Text since the last tool call. */
  readonly pieces: string[];
  cost: number;
  stopReason: string;
  failed: boolean;
}

/** Pieces of text as one message; none when there is no text. */
function messageOf(pieces: readonly string[], ext?: AgentEvent["ext"]): readonly AgentEvent[] {
  const said = { type: "assistant_message", text: pieces.join("") } as const;
  return pieces.length === 0 ? [] : [newEvent(ext === undefined ? said : { ...said, ext })];
}

function endOf(told: Told): HostEnd {
  const usage = { ...NO_USAGE, estimated_cost_usd: told.cost === 0 ? null : told.cost };
  const limit = told.stopReason === "max_tokens" || told.stopReason === "max_turn_requests";
  const failed = told.failed || told.stopReason === "refusal";
  const outcome = failed ? "failed" : told.stopReason === "end_turn" ? "complete" : "partial";
  return {
    outcome,
    mode: "mapped",
    usage,
    usageRaw: { stopReason: told.stopReason, cost_usd: told.cost },
    stopped: limit ? "limit" : undefined,
  };
}

const textIn = (update: SessionUpdate) =>
  update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "";
