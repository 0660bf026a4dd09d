import type { Policy } from "../contract/policy.ts";
import type { UndoRecord } from "../contract/session-record.ts";
import type { KnownCommands } from "../contract/knowledge.ts";
import type { McpServer } from "../contract/mcp-server.ts";
import type { AskPerson, EditorBuffers } from "../contract/tool.ts";
import type { Processor } from "./engine/processor.ts";
import { loadCommands } from "./knowledge/commands.ts";
import { systemPrompt } from "./knowledge/system-prompt.ts";
import { oneAtATime } from "../lib/process/tasks.ts";
import type { CommandContainment } from "../sandbox/run/contained-commands.ts";
import { findSession, newSessionId, sessionsFolder } from "./log/log-folder.ts";
import { createSession, openSession, type Session } from "./log/session-log.ts";
import type { AskUser } from "./tools/conversation-tools.ts";
import { endLeftCommands } from "../sandbox/run/left-commands.ts";
import { type Conversation, converse } from "./session/conversation.ts";
import { warnOfAttacks, warnOfMissing } from "./knowledge/context-report.ts";
import { contextRecord, forTools, nativeContext, type NativeContext } from "./knowledge/context.ts";
import { TAKEN_NAMES } from "./terminal/line-commands.ts";
import { withInstructions, withServers } from "./session/session-servers.ts";
import type { NativeSettings } from "./settings/session-settings.ts";
import { openNativeTools, type NativeTools, type NativeToolsPlace } from "./session/session-tools.ts";
import { engineParts, tellEnd, tellStart, treeOf } from "./session/session-engine.ts";
import type { AgentPlace } from "./sub-agent-engine.ts";
import type { RunAgent } from "./agents/background-agents.ts";
import type { AgentTree } from "./agents/delegation.ts";
import { removeLeftWorktrees, sessionAgents, sessionWorktrees, withWorktrees } from "./agents/session-agents.ts";
import { type PersonShell, personShell } from "./session/person-shell.ts";
import { type ModeSwitch, modeSwitch, unlessAuto } from "./session/work-mode.ts";
import { turnKnowledge } from "./knowledge/turn-knowledge.ts";
import { itemsForState } from "./session/work-item-lines.ts";
import { openSessionUndo, type SessionUndo } from "./undo/session-undo.ts";

/** Where a conversation takes place, and who can be asked. */
interface NativePlace {
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
  readonly workItems: NativeTools["allItems"];
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
}

export type OpenNative = (place: NativePlace) => Promise<NativeSession>;

/** Opens conversations with our own engine. */
export function nativeOpener(common: NativeSettings): OpenNative {
  return async (place) => {
    await endLeftCommands(common.home, common.warn);
    await removeLeftWorktrees(common.home);
    const policy = common.policyFor(place.cwd);
    const { session, ...check } = openLog(common, place.cwd, place.resume);
    const ended = new AbortController();
    try {
      return await openConversation({ ...common, ...check }, { place, policy, session, ended });
    } catch (error) {
      ended.abort();
      session[Symbol.dispose]();
      throw error;
    }
  };
}

interface Opening {
  readonly place: NativePlace;
  readonly policy: Policy;
  readonly session: Session;
  /** Aborted when the session ends. */
  readonly ended: AbortController;
}

async function openConversation(common: NativeSettings, opened: Opening): Promise<NativeSession> {
  const { place, policy, ended } = opened;
  const undo = openSessionUndo(opened.session, { ...common, workspace: policy.workspaceRoot });
  const { session } = undo;
  const opening = { ...opened, session, undo };
  const { cwd, resume, prompt, askPerson, askUser } = place;
  const { signal } = ended;
  // Not waited for: a server that says nothing must not delay the first request.
  void common.model.learnLimits(signal);
  const mode = sessionMode(common, session);
  const found = nativeContext({ ...common, policy, cwd, unattended: askPerson === undefined });
  warnOfMissing(found, common.warn);
  warnOfAttacks(found, { warn: common.warn, isLater: prompt !== undefined, signal });
  const person = unlessAuto(inTurn({ askPerson, askUser }), mode);
  const worktrees = await sessionWorktrees(common, policy);
  const agents = await sessionAgents({ agents: found.agents, home: common.home, session, ...worktrees });
  const more = [agents.parts.delegation.tool];
  const nativeTools = await openTools(common, opening, { mode, ...person, skills: found.skills, more });
  const context = forTools(found, nativeTools.tools);
  session.append(contextRecord(context));
  const knowledge = sessionKnowledge(common, { ...opening, nativeTools, context });
  const hooks = common.hooksFor({ sessionId: session.id, workspace: policy.workspaceRoot, warn: common.warn });
  const system = systemPrompt(withWorktrees(withInstructions(context.parts, nativeTools.servers), common));
  const frame = { policy, system, hooks, knowledge, undo, mode, ...attendance(place), signal };
  const placed = { sessionId: session.id, cwd, policy, context, mode, ...person };
  const agentPlace = { common, ...placed, hooks, tools: nativeTools, ...worktrees };
  agents.attach((tree) => lazyAgentRunner(agentPlace, tree));
  const engine = engineParts(common, nativeTools, frame);
  const parts = { ...engine, gates: [...engine.gates, ...worktrees.gates], ...agents.parts };
  const conversation = converse(session, parts, nativeTools.personSpoke);
  if (prompt !== undefined) conversation.add(prompt);
  await tellStart(hooks, resume === undefined ? "new" : "resume", common.warn);
  return {
    conversation,
    mode,
    workspace: policy.workspaceRoot,
    workItems: nativeTools.allItems,
    takeBack: lazyTakeBack({ common, conversation, undo, nativeTools }),
    shell: personShell(nativeTools),
    commands: () => loadCommands(context.place, TAKEN_NAMES),
    tools: [...nativeTools.tools.map(({ name }) => name), ...(mode.current === "auto" ? ["task_complete"] : [])],
    containment: nativeTools.containment.facts,
    async [Symbol.asyncDispose]() {
      ended.abort(new Error("the session has ended"));
      await conversation.close();
      await worktrees.rest();
      await end(undo, nativeTools, () => tellEnd(hooks, conversation, common.warn));
    },
  };
}

interface UndoableOpening extends Opening {
  readonly undo: SessionUndo;
}

/** With the tools of servers, and what keeps the agent from changing its check. Both are loaded only where needed. */
async function openTools(
  common: NativeSettings,
  { place, policy, session, undo, ended }: UndoableOpening,
  own: Pick<NativeToolsPlace, "mode" | "askPerson" | "askUser" | "skills" | "more">,
): Promise<NativeTools> {
  const { accept, acceptTimeoutMs: checkTimeoutMs } = common;
  const { id: sessionId } = session;
  const { buffers, mcpServers: given } = place;
  const opened = openNativeTools({ ...common, ...undo.tools, ...own, sessionId, policy, buffers, checkTimeoutMs });
  const tools = await withServers(opened, { ...common, policy, given });
  if (accept === undefined) return tools;
  const { heldCheck } = await import("./session/held-check.ts");
  const held = { ...common, accept, root: policy.workspaceRoot, sessionId, signal: ended.signal };
  return { ...tools, runCheck: await heldCheck(tools, held) };
}

/** What runs sub-agents is loaded when one is started. */
const lazyAgentRunner =
  (place: AgentPlace, tree: AgentTree): RunAgent =>
  async (order, watch) =>
    await (await import("./sub-agent.ts")).agentRunner(place, tree)(order, watch);

interface KnowledgeParts extends UndoableOpening {
  readonly nativeTools: NativeTools;
  readonly context: NativeContext;
}

const sessionKnowledge = (
  { timeoutMs }: NativeSettings,
  { session, policy, nativeTools, context, undo }: KnowledgeParts,
): Processor =>
  turnKnowledge({
    context,
    timeoutMs,
    openItems: () => itemsForState(nativeTools.allItems()),
    fingerprint: (signal) => treeOf(policy, nativeTools, signal),
    before: session.before,
    record: (record) => session.append(record),
    written: () => [...new Set(undo.turns.turns.flatMap(({ wrote }) => [...wrote]))],
  });

const attendance = ({ prompt, askPerson }: NativePlace) => ({
  isOneTask: prompt !== undefined,
  isUnattended: askPerson === undefined,
});

interface TakingBack {
  readonly common: NativeSettings;
  readonly conversation: Conversation;
  readonly undo: SessionUndo;
  readonly nativeTools: NativeTools;
}

/** What takes turns back is loaded when somebody wants it. */
const lazyTakeBack =
  ({ common: { home }, conversation, undo, nativeTools }: TakingBack): NativeSession["takeBack"] =>
  async (text) => {
    const { takeBack } = await import("./undo/take-back.ts");
    const record = (each: UndoRecord) => {
      conversation.rewind(each);
      nativeTools.forgetSeen();
    };
    return await takeBack({ home, id: conversation.id, settled: undo.settled, record }, text);
  };

/** A person can answer one question at a time, however many agents of a session ask. */
function inTurn({ askPerson, askUser }: Pick<NativePlace, "askPerson" | "askUser">) {
  const turn = oneAtATime();
  return {
    askPerson: askPerson && ((...question: Parameters<AskPerson>) => turn(() => askPerson(...question))),
    askUser: askUser && ((...question: Parameters<AskUser>) => turn(() => askUser(...question))),
  };
}

/** A resumed session goes on in the mode it was in, unless another was asked for. The flag is about new ones. */
function sessionMode({ mode: wanted, flags }: NativeSettings, session: Session): ModeSwitch {
  const before = session.before.findLast((record) => record.type === "mode")?.mode ?? "ask";
  const mode = modeSwitch(before, (chosen) => session.append({ type: "mode", mode: chosen }));
  const isNew = session.before.length === 0;
  const chosen = wanted ?? (isNew && flags.autopilot ? "auto" : undefined);
  if (chosen !== undefined) mode.set(chosen);
  return mode;
}

/** The check given for this start, or else the one the session began with, so that a restart does not lose it. */
interface OpenLog extends Pick<NativeSettings, "accept" | "acceptKeep" | "acceptChanged"> {
  readonly session: Session;
}

function openLog(common: NativeSettings, cwd: string, resume: string | undefined): OpenLog {
  const { home, model, accept, acceptKeep = [], acceptChanged = [] } = common;
  const folder = sessionsFolder(home);
  const at = { folder, now: Date.now };
  if (resume !== undefined) {
    const session = openSession(findSession(folder, resume, cwd), at);
    const { header } = session;
    return {
      session,
      accept: accept ?? header.accept,
      acceptKeep: acceptKeep.length > 0 ? acceptKeep : header.acceptKeep,
      acceptChanged: acceptChanged.length > 0 ? acceptChanged : header.acceptChanged,
    };
  }
  const header = {
    id: newSessionId(Date.now()),
    cwd,
    model: model.name,
    ...(model.baseUrl === undefined ? {} : { baseUrl: model.baseUrl }),
    ...(accept === undefined ? {} : { accept }),
    ...(acceptKeep.length === 0 ? {} : { acceptKeep: [...acceptKeep] }),
    ...(acceptChanged.length === 0 ? {} : { acceptChanged: [...acceptChanged] }),
  };
  return { session: createSession(header, at), accept, acceptKeep, acceptChanged };
}

async function end(undo: SessionUndo, nativeTools: NativeTools, runEndHooks: () => Promise<void>): Promise<void> {
  try {
    await nativeTools[Symbol.asyncDispose]();
    await undo[Symbol.asyncDispose]();
    await runEndHooks();
  } finally {
    undo.session[Symbol.dispose]();
  }
}
