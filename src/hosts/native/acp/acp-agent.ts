import {
  agent,
  type AgentApp,
  type AgentContext,
  type InitializeResponse,
  type ListSessionsRequest,
  methods,
  type PromptRequest,
  type PromptResponse,
  PROTOCOL_VERSION,
  RequestError,
  type SessionUpdate,
  type StopReason,
} from "@agentclientprotocol/sdk";
import type { SessionOutcome } from "../../../contract/engine-event.ts";
import type { SessionSummary } from "../../../sessions/summary.ts";
import type { OpenNative } from "../open-native.ts";
import { promptContent } from "./prompt-content.ts";
import { type EditorSession, sessionTable } from "./session-table.ts";
import { updateOf, updatesOf } from "./updates.ts";

interface AcpParts {
  readonly version: string;
  readonly open: OpenNative;
  readonly list: () => readonly SessionSummary[];
}

interface AcpAgent extends AsyncDisposable {
  readonly app: AgentApp;
}

/** The engine as an agent for editors. Its sessions end when it is disposed. */
export function acpAgent({ version, open, list }: AcpParts): AcpAgent {
  const table = sessionTable(open);
  const app = agent({ name: "signalbox" })
    .onRequest(methods.agent.initialize, () => initialized(version))
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      const { conversation } = await table.start({ cwd: params.cwd }, client);
      return { sessionId: conversation.id };
    })
    .onRequest(methods.agent.session.load, async ({ params: { cwd, sessionId: resume }, client }) => {
      await table.close(resume);
      const { conversation } = await table.start({ cwd, resume }, client);
      for (const update of updatesOf(conversation.history)) await tell(client, conversation.id, update);
      return {};
    })
    .onRequest(methods.agent.session.list, ({ params }) => ({ sessions: listed(list(), params) }))
    .onRequest(methods.agent.session.close, async ({ params }) => {
      table.find(params.sessionId);
      await table.close(params.sessionId);
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client }) =>
      answered(queued(table.find(params.sessionId), params), client),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => table.cancel(params.sessionId));
  return { app, [Symbol.asyncDispose]: () => table.closeAll() };
}

const initialized = (version: string): InitializeResponse => ({
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: "signalbox", title: "signalbox native", version },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true, audio: false },
    sessionCapabilities: { list: {}, close: {} },
  },
  authMethods: [],
});

const listed = (summaries: readonly SessionSummary[], { cwd: wanted }: ListSessionsRequest) =>
  summaries
    .filter(({ cwd }) => wanted === undefined || wanted === null || wanted === cwd)
    .map(({ id: sessionId, cwd, title, updated }) => ({
      sessionId,
      cwd,
      title,
      updatedAt: new Date(updated).toISOString(),
    }));

function queued(session: EditorSession, { prompt }: PromptRequest): EditorSession {
  const { text, images } = promptContent(prompt);
  if (text.trim() === "" && images.length === 0) throw RequestError.invalidParams(undefined, "the prompt is empty");
  session.conversation.add(text, images);
  return session;
}

/** A prompt that comes while another is worked on reaches the model with its next request, and ends with that work. */
async function answered(session: EditorSession, client: AgentContext): Promise<PromptResponse> {
  while (session.working !== undefined) {
    const response = await session.working.answer;
    // It may have come too late for that work.
    if (response.stopReason === "cancelled" || session.conversation.queued === 0) return response;
  }
  const abort = new AbortController();
  const answer = work(session, abort, client).finally(() => (session.working = undefined));
  session.working = { abort, answer };
  return await answer;
}

async function work(
  { conversation }: EditorSession,
  abort: AbortController,
  client: AgentContext,
): Promise<PromptResponse> {
  const run = conversation.run(abort.signal);
  for (let next = await run.next(); ; next = await run.next()) {
    if (next.done === true) return { stopReason: stopReason(next.value) };
    const update = updateOf(next.value);
    // If the editor is gone, the run is interrupted but still ends properly and is logged.
    if (update !== undefined) await tell(client, conversation.id, update).catch(() => abort.abort());
  }
}

const tell = (client: AgentContext, sessionId: string, update: SessionUpdate) =>
  client.notify(methods.client.session.update, { sessionId, update });

function stopReason({ reason, because }: SessionOutcome): StopReason {
  switch (reason) {
    case "answered":
    case "rejected":
    case "gate-gave-up":
      return "end_turn";
    case "aborted":
      return "cancelled";
    case "limit":
      return "max_turn_requests";
    case "refused":
      return "refusal";
    case "failed":
      throw RequestError.internalError(undefined, because);
  }
}
