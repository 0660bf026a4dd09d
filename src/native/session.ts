import type { KnownCommands } from "../contract/knowledge.ts";
import type { McpServer } from "../contract/mcp-server.ts";
import type { Policy } from "../contract/policy.ts";
import type { SessionHeader, UndoRecord } from "../contract/session-record.ts";
import type { AskPerson, AskUser, EditorBuffers } from "../contract/tool.ts";
import { clearTaint } from "../guard/taint-store.ts";
import type { CommandContainment } from "../sandbox/run/contained-commands.ts";
import { endLeftCommands } from "../sandbox/run/left-commands.ts";
import type { AgentGround, Delegation } from "./agents/delegation.ts";
import { mainAgent } from "./agents/main-agent.ts";
import { sessionDelegation } from "./agents/session-agents.ts";
import { openWorktrees, removeLeftWorktrees } from "./agents/worktrees.ts";
import { tellEnd, tellStart } from "./engine/hooks.ts";
import { contextRecord, forTools, nativeContext, warnOfAttacks, warnOfMissing } from "./knowledge/context.ts";
import { type LoggedSession, newSession, resumeSession } from "./log/session-log.ts";
import { openCheck } from "./session/check.ts";
import { type Conversation, converse } from "./session/conversation.ts";
import { type PersonShell, personShell } from "./session/person-shell.ts";
import { openSessionServers } from "./session/servers.ts";
import { type ModeSwitch, people, sessionMode } from "./session/work-mode.ts";
import type { AcceptanceCheck, NativeSettings } from "./settings/session-settings.ts";
import { userCommands } from "./terminal/line-commands.ts";
import { openToolSet, type ToolSet } from "./tools/tool-set.ts";
import { openWorkplace, type Workplace } from "./tools/workplace.ts";
import { openSessionUndo, type SessionUndo } from "./undo/session-undo.ts";
import { takeBack } from "./undo/take-back.ts";

/** What is asked for: a new conversation or one that goes on, and who can be asked in it. */
interface SessionRequest {
  readonly cwd: string;
  /** The session to resume; undefined for a new one. */
  readonly resume?: string | undefined;
  /** The first prompt, if already known. It is logged before hooks or the model see the session. */
  readonly prompt?: string | undefined;
  /** Undefined if nobody can be asked; then calls that need approval are denied. */
  readonly askPerson?: AskPerson | undefined;
  readonly askUser?: AskUser | undefined;
  /** Files that an editor has open. */
  readonly buffers?: EditorBuffers | undefined;
  /** Servers that an editor names, beside those of the configuration files. */
  readonly mcpServers?: readonly McpServer[] | undefined;
}

/** A conversation with its log, tools, and processes. All of them end when it is disposed. */
export interface NativeSession extends AsyncDisposable {
  readonly conversation: Conversation;
  readonly workspace: string;
  readonly workItems: ToolSet["items"]["list"];
  /** How it works; a change holds from the next request and call on. */
  readonly mode: ModeSwitch;
  /** Carries out `/undo` and `/redo`, and returns what to show. Not while it runs. */
  readonly takeBack: (text: string) => Promise<string>;
  /** Runs a command of the person. */
  readonly shell: PersonShell;
  /** The user's own `/` commands, looked for now. */
  readonly commands: () => KnownCommands;
  /** The names of its tools. */
  readonly tools: readonly string[];
  /** Where its commands run, for the receipt. */
  readonly containment: CommandContainment["facts"];
  /** For the receipt, also after its end: how far the log of the guard goes, and what was changed, if that is known. */
  readonly left: Pick<Workplace, "auditHead"> & Pick<SessionUndo, "changes">;
}

export type OpenNative = (request: SessionRequest) => Promise<NativeSession>;

/** Opens conversations with our own engine. */
export function nativeOpener(settings: NativeSettings): OpenNative {
  return async (request) => {
    await endLeftCommands(settings.home, settings.warn);
    removeLeftWorktrees(settings.home);
    const policy = settings.policyFor(request.cwd);
    const log = openLog(settings, request);
    const ended = new AbortController();
    try {
      return await openSession(settings, request, policy, { log, ended });
    } catch (error) {
      ended.abort();
      log[Symbol.dispose]();
      throw error;
    }
  };
}

/** `ended` is aborted when the session ends. */
async function openSession(
  settings: NativeSettings,
  request: SessionRequest,
  policy: Policy,
  { log, ended }: { readonly log: LoggedSession; readonly ended: AbortController },
): Promise<NativeSession> {
  const { home, model, environment, version, filters, flags, skillSettings, recovery, warn } = settings;
  const { cwd, prompt, buffers } = request;
  const { workspaceRoot: workspace } = policy;
  const { signal } = ended;

  const undo = openSessionUndo(log, { home, workspace, recovery, warn });
  const { session, beforeChange, snapshot } = undo;
  // Not waited for: a server that says nothing must not delay the first request.
  void model.learnLimits(signal);
  const mode = sessionMode(session, settings.mode, flags.autopilot ? "auto" : undefined);
  const { askPerson, askUser } = people(request, mode);
  const unattended = askPerson === undefined;
  const found = nativeContext({ policy, cwd, home, environment, version, unattended, skillSettings });
  warnOfMissing(found, warn);
  warnOfAttacks(found, warn, prompt !== undefined, signal);

  const workplace = openWorkplace(settings, { sessionId: log.id, policy, beforeChange, recovery, snapshot, buffers });
  const tools = openToolSet(workplace, { mode, askPerson, askUser, skills: found.skills });
  await workplace.containment.require();
  const servers = await openSessionServers(workplace, request.mcpServers ?? [], version, filters);
  const wanted = sessionCheck(settings.check, log.header);
  const check = wanted && (await openCheck(wanted, workplace, warn, signal));
  const context = forTools(found, tools.tools);
  session.append(contextRecord(context));

  const hooks = settings.hooksFor({ sessionId: log.id, workspace, warn });
  const worktrees = settings.worktrees === undefined ? undefined : openWorktrees(workspace, settings.worktrees);
  const agents = { settings, hooks, mode, askPerson, askUser, worktrees };
  const ground: AgentGround = { session: agents, workplace, cwd, context, servers };
  const delegation = sessionDelegation(ground, session);
  const agent = mainAgent(ground, { session, tools, delegation, undo, check, isOneTask: prompt !== undefined, signal });
  const conversation = converse(session, agent, () => clearTaint(home, log.id));
  if (prompt !== undefined) conversation.add(prompt);
  await tellStart(hooks, request.resume === undefined ? "new" : "resume", warn);
  return {
    conversation,
    mode,
    workspace,
    workItems: () => tools.items.list(),
    takeBack: takesBack(home, conversation, undo, tools),
    shell: personShell(tools),
    commands: () => userCommands(context.place),
    tools: toolNames(tools, delegation, mode),
    containment: workplace.containment.facts,
    left: { auditHead: workplace.auditHead, changes: undo.changes },
    async [Symbol.asyncDispose]() {
      ended.abort(new Error("the session has ended"));
      await conversation.close();
      await worktrees?.rest();
      try {
        for (const opened of [servers, tools, check, workplace, undo]) await opened?.[Symbol.asyncDispose]();
        await tellEnd(hooks, conversation.outcome, warn);
      } finally {
        session[Symbol.dispose]();
      }
    },
  };
}

const takesBack =
  (home: string, conversation: Conversation, { settled }: SessionUndo, tools: ToolSet) =>
  async (text: string): Promise<string> => {
    const record = (each: UndoRecord) => {
      conversation.rewind(each);
      tools.forgetSeen();
    };
    return await takeBack({ home, id: conversation.id, settled, record }, text);
  };

const toolNames = (tools: ToolSet, { tool }: Delegation, { current }: ModeSwitch): readonly string[] => [
  ...[...tools.tools, ...tools.offered([tool])].map(({ name }) => name),
  ...(current === "auto" ? ["task_complete"] : []),
];

/** Continues the log of the session that is wanted, or begins one. */
function openLog({ home, model, check }: NativeSettings, { cwd, resume }: SessionRequest): LoggedSession {
  if (resume !== undefined) return resumeSession(home, resume, cwd);
  const { command, keep, changed } = check;
  return newSession(home, {
    cwd,
    model: model.name,
    ...(model.baseUrl === undefined ? {} : { baseUrl: model.baseUrl }),
    ...(command === undefined ? {} : { accept: command }),
    ...(keep.length === 0 ? {} : { acceptKeep: [...keep] }),
    ...(changed.length === 0 ? {} : { acceptChanged: [...changed] }),
  });
}

/** The check given for this start, or else the one the session began with, so that a restart does not lose it. */
function sessionCheck(wanted: NativeSettings["check"], header: SessionHeader): AcceptanceCheck | undefined {
  const { accept, acceptKeep = [], acceptChanged = [] } = header;
  const { command = accept, timeoutMs } = wanted;
  if (command === undefined) return undefined;
  const keep = wanted.keep.length > 0 ? wanted.keep : acceptKeep;
  const changed = wanted.changed.length > 0 ? wanted.changed : acceptChanged;
  return { command, keep, changed, timeoutMs };
}
