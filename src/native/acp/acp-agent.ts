import {
  agent,
  type AgentApp,
  type AgentContext,
  type AuthMethod,
  type InitializeResponse,
  type ListSessionsRequest,
  methods,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import { type InTurn, oneAtATime } from "../../lib/process/tasks.ts";
import type { SessionSummary } from "../log/list-sessions.ts";
import type { nativeOpener } from "../session.ts";
import { answerPrompt, commandsUpdate } from "./answer-prompt.ts";
import {
  editorFeatures,
  type EditorFeatures,
  type SettingsFor,
  type EditorSession,
  openEditorSession,
  type WantedSession,
  withUserErrors,
} from "./editor-session.ts";
import { choiceUpdates, choose, configOptions, modeState } from "./session-choices.ts";
import { planUpdate, replayHistory, usageUpdate } from "./session-updates.ts";

/** What an editor can be served with. */
interface EditorService {
  readonly version: string;
  readonly settingsFor: SettingsFor;
  /** Opens its conversations. */
  readonly opener: typeof nativeOpener;
  readonly list: () => readonly SessionSummary[];
  /** Removes a session that is not open; false if there is none. Throws a UserError if it cannot be removed. */
  readonly remove: (id: string) => boolean;
  /** Throws a UserError as long as no model can be asked. */
  readonly checkAccess: () => void;
}

/** The engine as an agent for editors. Its sessions end when it is disposed. */
export function acpAgent(service: EditorService): AsyncDisposable & { readonly app: AgentApp } {
  const { version, list, remove, checkAccess } = service;
  const table = sessionTable();
  let features = editorFeatures({});
  const app = agent({ name: "signalbox" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      features = editorFeatures(params.clientCapabilities ?? {});
      return initialized(version);
    })
    .onRequest(methods.agent.authenticate, async ({ params }) => {
      if (!authMethods().some(({ id }) => id === params.methodId))
        throw RequestError.invalidParams(undefined, `there is no method ${JSON.stringify(params.methodId)}`);
      await withUserErrors(checkAccess);
      return {};
    })
    .onRequest(methods.agent.session.list, ({ params }) => ({ sessions: listed(list(), params) }))
    .onRequest(methods.agent.session.delete, async ({ params: { sessionId } }) => {
      const isRemoved = await table.afterClosing(sessionId, () => withUserErrors(() => remove(sessionId)));
      if (!isRemoved) throw RequestError.sessionNotFound(sessionId);
      return {};
    })
    .onRequest(methods.agent.session.close, async ({ params: { sessionId } }) => {
      table.find(sessionId);
      await table.afterClosing(sessionId, async () => undefined);
      return {};
    })
    .onRequest(methods.agent.session.prompt, ({ params }) => answerPrompt(table.find(params.sessionId), params))
    .onNotification(methods.agent.session.cancel, ({ params }) => table.cancel(params.sessionId));
  starts(app, service, table, () => features);
  changes(app, table);
  return { app, [Symbol.asyncDispose]: () => table.closeAll() };
}

/** The requests that open a session: a new one, or one from its log. */
function starts(
  app: AgentApp,
  { settingsFor, opener, list }: EditorService,
  table: SessionTable,
  features: () => EditorFeatures,
): void {
  const open = (wanted: WantedSession, client: AgentContext) => {
    const { resume } = wanted;
    if (resume !== undefined && !list().some(({ id }) => id === resume)) throw RequestError.sessionNotFound(resume);
    return table.add(() => openEditorSession({ settingsFor, opener }, wanted, client, features()));
  };
  app
    .onRequest(methods.agent.session.new, async ({ params: { cwd, mcpServers: servers }, client }) => {
      const session = await open({ cwd, servers }, client);
      // The editor learns the id only from the response.
      setImmediate(() => void begin(session, false));
      return { sessionId: session.conversation.id, ...choicesOf(session) };
    })
    .onRequest(methods.agent.session.load, ({ params: { sessionId: resume, cwd, mcpServers: servers }, client }) =>
      table.afterClosing(resume, async () => {
        const session = await open({ cwd, resume, servers }, client);
        for (const update of replayHistory(session.conversation.history, session.workspace))
          await session.link.tell(update);
        await begin(session, true);
        return choicesOf(session);
      }),
    )
    .onRequest(
      methods.agent.session.resume,
      ({ params: { sessionId: resume, cwd, mcpServers: servers = [] }, client }) =>
        table.afterClosing(resume, async () => {
          const session = await open({ cwd, resume, servers }, client);
          await begin(session, true);
          return choicesOf(session);
        }),
    );
}

/** The choices of a user during a session. */
function changes(app: AgentApp, table: SessionTable): void {
  const chosen = async (session: EditorSession, id: string, value: string | boolean) => {
    await withUserErrors(() => choose(session, id, value));
    // It knows what it has chosen itself.
    choiceUpdates(session, session.told);
  };
  app
    .onRequest(methods.agent.session.setConfigOption, async ({ params: { sessionId, configId, value } }) => {
      const session = table.find(sessionId);
      await chosen(session, configId, value);
      return { configOptions: configOptions(session) };
    })
    .onRequest(methods.agent.session.setMode, async ({ params: { sessionId, modeId } }) => {
      const session = table.find(sessionId);
      await chosen(session, "mode", modeId);
      return {};
    });
}

const choicesOf = (session: EditorSession) => ({ modes: modeState(session), configOptions: configOptions(session) });

/** What an editor is told when it has a session; of one that went on before, also how far it is. */
async function begin(session: EditorSession, isResumed: boolean): Promise<void> {
  const { link, conversation, workItems } = session;
  try {
    await link.tell(commandsUpdate(session.commands().commands));
    link.begin();
    if (!isResumed) return;
    if (workItems().length > 0) await link.tell(planUpdate(session));
    if (conversation.history.length > 0) await link.tell(usageUpdate((await conversation.measure()).tokens, session));
  } catch {
    // The editor is gone, which is noticed elsewhere.
  }
}

const initialized = (version: string): InitializeResponse => ({
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: "signalbox", title: "signalbox native", version },
  agentCapabilities: {
    loadSession: true,
    mcpCapabilities: { http: true, sse: true },
    promptCapabilities: { image: true, embeddedContext: true, audio: false },
    sessionCapabilities: { list: {}, close: {}, resume: {}, delete: {} },
  },
  authMethods: [...authMethods()],
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

/** The sessions of one connection. */
interface SessionTable {
  find(id: string): EditorSession;
  /** Opens a new session. */
  add(open: () => Promise<EditorSession>): Promise<EditorSession>;
  /** Closes a session if it is open, then does something with it: opens it again, or removes it. One at a time. */
  afterClosing<Result>(id: string, work: () => Promise<Result>): Promise<Result>;
  /** Interrupts the running prompt. Does nothing if the session is idle or not open. */
  cancel(id: string): void;
  closeAll(): Promise<void>;
}

function sessionTable(): SessionTable {
  const sessions = new Map<string, EditorSession>();
  const turns = new Map<string, InTurn>();
  const opening = new Set<Promise<unknown>>();
  let isClosed = false;
  const close = async (id: string) => {
    const session = sessions.get(id);
    sessions.delete(id);
    session?.working?.abort.abort(new Error("closed"));
    await session?.working?.answer.catch(() => {});
    await session?.[Symbol.asyncDispose]();
  };
  const add = async (open: () => Promise<EditorSession>) => {
    const session = await open();
    sessions.set(session.conversation.id, session);
    if (isClosed) await close(session.conversation.id);
    return session;
  };
  const tracked = async <Result>(work: Promise<Result>) => {
    opening.add(work);
    return await work.finally(() => opening.delete(work));
  };
  return {
    find(id) {
      const session = sessions.get(id);
      if (session === undefined) throw RequestError.sessionNotFound(id);
      return session;
    },
    add: (open) => tracked(add(open)),
    async afterClosing(id, work) {
      const inTurn = turns.get(id) ?? oneAtATime();
      turns.set(id, inTurn);
      return await tracked(
        inTurn(async () => {
          await close(id);
          return await work();
        }),
      );
    },
    cancel: (id) => sessions.get(id)?.working?.abort.abort(new Error("cancelled")),
    async closeAll() {
      isClosed = true;
      await Promise.allSettled(opening);
      for (const id of sessions.keys()) await close(id);
    },
  };
}

/** How a user can give us access to a model. Keys come from the environment only, so there is one way. */
const authMethods = (): readonly AuthMethod[] => [
  {
    id: "environment",
    name: "API key in the environment",
    description:
      "Choose a model with --model, SIGNALBOX_MODEL or `signalbox models --set`, and set the key of its provider (such as ANTHROPIC_API_KEY) in the environment that your editor starts this agent with. `signalbox models` lists both. Then restart the agent.",
  },
];
