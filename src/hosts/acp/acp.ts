import { setImmediate as nextTurn } from "node:timers/promises";
import type { ClientConnection, SessionUpdate } from "@agentclientprotocol/sdk";
import { numberOf, textOf } from "../../agents/pack/records.ts";
import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { Capabilities } from "../../contract/capability.ts";
import { type HostEnd, NO_USAGE, usageSince } from "../../contract/receipt.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { asyncQueue } from "../../lib/process/tasks.ts";
import { type AgentIdentity, decideOrAsk, type Host, type HostJob, type OpenHost } from "../../receipts/host.ts";
import { openMode } from "../program/compose-prompt.ts";
import {
  describeProgramEnd,
  type HostCommand,
  hostEnvironment,
  type HostProgram,
  refuseUncontained,
  RUNS_ITSELF,
  startHostCommand,
} from "../program/program.ts";
import {
  type AcpPeer,
  type AcpSession,
  openBlockedCalls,
  openCalls,
  permissionAnswer,
  type TurnState,
} from "./acp-session.ts";
import { type Ask, asker, canLoad, openConversation, type SessionStart } from "./begin-session.ts";
import { type AcpTerminals, fileAnswers, openTerminals } from "./client-methods.ts";

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
  /** Whether the user has approved questions about a tool in advance. A denial is still a denial. */
  readonly isApproved?: ((tool: string) => boolean) | undefined;
  /** The shell that the agent runs commands in, if known. */
  readonly shell?: "bash" | undefined;
  /** Runs the commands that the agent leaves to us. Closed with the host. */
  readonly terminals?: AcpTerminals | undefined;
  /** Returns the error that ended a turn, for agents that send errors as if they were answers. */
  readonly ownError?: (turn: AcpTurn) => string | undefined;
  /** What the agent says after a denied call as if the model had said it. It is left out. */
  readonly noticeOfDenial?: string | undefined;
  readonly session?: SessionStart | undefined;
  /** True if the order's model was passed to the agent when it was started. */
  readonly hasModel?: boolean | undefined;
  /** The program behind the connection, where it is known. */
  readonly identity?: AgentIdentity | undefined;
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
      session.blocked.see(params.toolCall.toolCallId);
      const call = session.calls.judged(params.toolCall);
      // The protocol does not say which shell the agent uses.
      const isApproved = options.isApproved?.(call.tool) === true;
      const held = { ...call, shell: options.shell ?? ("any" as const), isApproved };
      const { verdict, because } = isApproved ? session.job.decide(held) : await decideOrAsk(session.job, held);
      const allowed = verdict === "allow";
      if (!allowed) {
        session.calls.deny(params.toolCall.toolCallId);
        session.blocked.add(because);
      }
      session.tell(session.calls.begin(params.toolCall), params.toolCall);
      return permissionAnswer(params.options, allowed, because);
    })
    .onRequest("fs/read_text_file", ({ params }) => fileAnswers(current.session).read(params))
    .onRequest("fs/write_text_file", ({ params }) => fileAnswers(current.session).write(params))
    .onRequest("terminal/create", async ({ params }) => await terminalsOf(options).create(params, current.session))
    .onRequest("terminal/output", ({ params }) => terminalsOf(options).output(params.terminalId))
    .onRequest(
      "terminal/wait_for_exit",
      async ({ params }) => await terminalsOf(options).waitForExit(params.terminalId),
    )
    .onRequest("terminal/kill", async ({ params }) => await terminalsOf(options).kill(params.terminalId))
    .onRequest("terminal/release", async ({ params }) => await terminalsOf(options).release(params.terminalId))
    .onNotification("session/update", ({ params }) => current.session?.update(params.update))
    .connect(peer.stream);
  const ask = asker(connection, peer, RequestError);
  const hello = await ask(["initialize", "initializeClient"], HELLO_REQUEST(PROTOCOL_VERSION, options), HELLO_MS);
  const reported = textOf(isRecord(hello) ? hello["agentInfo"] : undefined, "version") || null;
  const version = reported ?? options.identity?.version ?? null;
  const start = options.session ?? {};
  const loads = canLoad(hello);
  const session = loads ? start : { ...start, sessionId: undefined };
  return {
    backend: { id: options.name, backend_version: version, adapter_version: "1" },
    capabilities: ACP_CAPABILITIES,
    agent: { name: options.name, version, binary_sha256: options.identity?.binary_sha256 ?? null },
    holds: false,
    containment: options.terminals?.facts,
    async *run(job) {
      if (start.sessionId !== session.sessionId && job.followUp === undefined)
        yield newEvent({ type: "warning", message: "the agent cannot continue a session, so it began a new one" });
      return yield* converse(job, { ask, connection, current, loads }, { ...options, session });
    },
    async [Symbol.asyncDispose]() {
      connection.close();
      await peer[Symbol.asyncDispose]();
      await options.terminals?.[Symbol.asyncDispose]();
    },
  };
}

function terminalsOf({ terminals }: AcpOptions): AcpTerminals {
  if (terminals === undefined) throw new Error("there are no terminals here");
  return terminals;
}

const HELLO_REQUEST = (protocolVersion: number, { version, terminals }: AcpOptions) => ({
  protocolVersion,
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: terminals !== undefined },
  clientInfo: { name: "signalbox", version },
});

interface Connected {
  readonly ask: Ask;
  readonly connection: ClientConnection;
  readonly current: { session: AcpSession | undefined };
  /** The agent can load earlier sessions. */
  readonly loads: boolean;
}

async function* converse(
  job: HostJob,
  { ask, connection, current, loads }: Connected,
  options: AcpOptions,
): AsyncGenerator<AgentEvent, HostEnd> {
  const { sessionId, text } = yield* openConversation(job, ask, options);
  if (job.order.config.model !== null && options.hasModel !== true)
    yield newEvent({ type: "warning", message: "the model of an ACP agent is chosen by its own flags" });
  await nextTurn();
  const session = openTurn(job, sessionId, options);
  const { state, events } = session;
  current.session = session;
  const cancel = () => void connection.agent.notify("session/cancel", { sessionId }).catch(() => undefined);
  if (job.signal.aborted) cancel();
  job.signal.addEventListener("abort", cancel, { once: true });
  const speak = async (): Promise<void> => {
    let prompt: string | undefined = text;
    while (prompt !== undefined) {
      const content = [{ type: "text", text: prompt }];
      const answer = await ask(["session/prompt", "session/promptClient"], { sessionId, prompt: content });
      await nextTurn();
      endTurn(answer, session, options);
      prompt = canGoOn(state, job) ? session.blocked.takePrompt() : undefined;
    }
  };
  void speak().then(
    () => events.end(),
    (error: unknown) => events.end(error),
  );
  yield* events;
  const end = endOf(state, openMode(job).mode);
  const { followUp } = job;
  const resumable = loads ? sessionId : undefined;
  // An agent's price is that of its session, its tokens are those since it was started.
  if (sessionId !== followUp?.session) return { ...end, session: resumable };
  return { ...end, session: resumable, usage: usageSince(end.usage, followUp.used, ["estimated_cost_usd"]) };
}

/** Turns the updates of the session into events. In passthrough mode, each event carries the messages it came from. */
function openTurn(job: HostJob, sessionId: string, options: AcpOptions): AcpSession {
  const state: TurnState = { pieces: [], cost: 0, stopReason: "", failed: false, usage: null, sessionId };
  const events = asyncQueue<AgentEvent>();
  const calls = openCalls();
  const blocked = openBlockedCalls();
  const { show } = openMode(job);
  const push = (event: AgentEvent, raw?: unknown) => events.push(show(event, raw));
  const flush: AcpSession["flush"] = (ext) => {
    const pieces = state.pieces.splice(0);
    const message = { type: "assistant_message", text: pieces.map(textIn).join("") } as const;
    if (pieces.length > 0) push(newEvent(ext === undefined ? message : { ...message, ext }), pieces);
  };
  const tell: AcpSession["tell"] = (more, raw) => {
    if (more.length > 0) flush({ usage: { estimated_cost_usd: state.cost } });
    more.forEach((event) => push(event, raw));
  };
  const update = (message: SessionUpdate) => {
    const delta = textIn(message);
    if (delta !== "" && delta === options.noticeOfDenial && !blocked.isEmpty()) return;
    if (delta !== "") push(newEvent({ type: "assistant_delta", text: delta }), message);
    if (delta !== "") state.pieces.push(message);
    if (message.sessionUpdate === "usage_update" && message.cost?.currency === "USD") state.cost = message.cost.amount;
    if (message.sessionUpdate === "tool_call") blocked.see(message.toolCallId);
    if (message.sessionUpdate === "tool_call" || message.sessionUpdate === "tool_call_update")
      tell(calls.update(message), message);
  };
  return { job, state, calls, blocked, events, update, tell, flush };
}

/** Takes in how the agent says that a turn ended. */
function endTurn(answer: unknown, { state, events, flush }: AcpSession, options: AcpOptions): void {
  state.stopReason = textOf(answer, "stopReason");
  const usage = isRecord(answer) && isRecord(answer["usage"]) ? answer["usage"] : null;
  // The protocol counts over all turns, and so does Copilot.
  state.usage = usage ?? state.usage;
  const turn = { sessionId: state.sessionId, pieces: state.pieces.map(textIn), counted: usage !== null };
  const message = options.ownError?.(turn);
  state.failed = message !== undefined;
  if (state.failed) state.pieces.pop();
  flush();
  if (message !== undefined) events.push(newEvent({ type: "error", message }));
}

/** Some agents call it cancelled when a denied call ends their turn. */
const canGoOn = ({ stopReason, failed }: TurnState, { signal }: HostJob) =>
  !failed && !signal.aborted && (stopReason === "end_turn" || stopReason === "cancelled");

function endOf(state: TurnState, mode: HostEnd["mode"]): HostEnd {
  const usage = {
    ...NO_USAGE,
    input_tokens: numberOf(state.usage, "inputTokens"),
    output_tokens: numberOf(state.usage, "outputTokens"),
    cache_read_tokens: numberOf(state.usage, "cachedReadTokens"),
    cache_write_tokens: numberOf(state.usage, "cachedWriteTokens"),
    estimated_cost_usd: state.cost === 0 ? null : state.cost,
  };
  const limit = state.stopReason === "max_tokens" || state.stopReason === "max_turn_requests";
  const failed = state.failed || state.stopReason === "refusal";
  const outcome = failed ? "failed" : state.stopReason === "end_turn" ? "complete" : "partial";
  return {
    outcome,
    mode,
    usage,
    usageRaw: {
      stopReason: state.stopReason,
      cost_usd: state.cost,
      usage: state.usage,
      session_id: state.sessionId,
    },
    stopped: limit ? "limit" : undefined,
  };
}

const textIn = (update: SessionUpdate) =>
  update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "";

/** Opens any agent that speaks ACP on its standard streams. */
export function acpHost(command: HostCommand, env: NodeJS.ProcessEnv, options: AcpOptions): OpenHost {
  return async (place) => {
    const { policy, folder } = place;
    refuseUncontained(options.name, RUNS_ITSELF, policy);
    const own = hostEnvironment(env, place);
    const peer = await programPeer(await startHostCommand(command, place, own));
    const terminals = policy && openTerminals(policy, own, folder);
    try {
      return await openAcp(peer, { ...options, terminals });
    } catch (error) {
      await peer[Symbol.asyncDispose]();
      throw error;
    }
  };
}

/** Wraps a started program as one side of an ACP connection. */
async function programPeer(program: HostProgram): Promise<AcpPeer> {
  const { ndJsonStream } = await import("@agentclientprotocol/sdk");
  const output = new WritableStream<Uint8Array>({
    write: (chunk) => program.write(Buffer.from(chunk)),
    close: () => program.endInput(),
  });
  return {
    stream: ndJsonStream(output, ReadableStream.from(program.output)),
    ending: () => describeProgramEnd(program),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
