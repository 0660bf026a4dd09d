import { eventOrigin, type SessionEvent, type SessionOutcome, type ToolDeed } from "../../contract/engine-event.ts";
import type { SubAgentDefinition } from "../../contract/knowledge.ts";
import { NO_USAGE } from "../../contract/message.ts";
import type { AskPerson, AskUser, Permit, ToolOutput } from "../../contract/tool.ts";
import { drained, realClock } from "../../lib/process/tasks.ts";
import { messageOf } from "../../lib/text/user-error.ts";
import type { Model } from "../../models/model.ts";
import { compaction } from "../engine/compaction.ts";
import { type Gate, subagentStopGate } from "../engine/gates.ts";
import type { EngineHooks } from "../engine/hooks.ts";
import { guardProcessor } from "../engine/processor.ts";
import type { PromptPart } from "../knowledge/system-prompt.ts";
import { turnKnowledge } from "../knowledge/turn-knowledge.ts";
import { agentsPath, logPath, sessionsPlace } from "../log/log-folder.ts";
import { newAgentLog } from "../log/session-log.ts";
import { type Conversation, converse, type TalkingAgent } from "../session/conversation.ts";
import { fingerprint } from "../session/fingerprint.ts";
import { judgedByName } from "../session/servers.ts";
import { planProcessor } from "../session/work-mode.ts";
import type { NativeSettings } from "../settings/session-settings.ts";
import { boundText } from "../tools/answer.ts";
import { openToolSet, type ToolSet } from "../tools/tool-set.ts";
import { itemsForState, standing } from "../tools/work-items.ts";
import { definitionTools, isWriter } from "./definition-tools.ts";
import {
  type AgentGround,
  type AgentOrder,
  type AgentTree,
  type AgentWatch,
  type Delegation,
  openDelegation,
} from "./delegation.ts";
import { runInCopy } from "./run-in-copy.ts";

/** The sub-agents that agents can start on a ground. Those of a sub-agent work where it works. */
export function agentTree(ground: AgentGround, nextNumber: () => number): AgentTree {
  const worktrees = ground.isCopy === true ? undefined : ground.session.worktrees;
  const tree: AgentTree = {
    agents: ground.context.agents,
    nextNumber,
    isIsolated: (definition) => worktrees !== undefined && isWriter(definition),
    async run(order, watch) {
      try {
        if (worktrees !== undefined && isWriter(order.definition)) {
          using _entered = await worktrees.enter(watch.signal);
          const run = (own: AgentOrder, copy: AgentGround) => agentTree(copy, nextNumber).run(own, watch);
          return await runInCopy(order, ground, worktrees, run);
        }
        return await runAgent(order, watch, ground, openDelegation(tree, order.id, order.depth));
      } catch (error) {
        return { text: `the sub-agent could not work: ${messageOf(error)}`, failed: true };
      }
    },
  };
  return tree;
}

/** Runs one sub-agent, with a conversation, tools and a log of its own. */
async function runAgent(
  order: AgentOrder,
  watch: AgentWatch,
  ground: AgentGround,
  delegation: Delegation,
): Promise<ToolOutput> {
  const { session, workplace, context, servers, isCopy } = ground;
  const { settings, mode, askPerson, askUser } = session;
  const { id, definition } = order;
  const { model, note } = agentModel(order.model ?? definition.model, settings);
  await servers?.settled(watch.signal);
  const { isEnabled, unknown } = definitionTools(
    definition,
    servers?.tools().map(({ name }) => name),
  );
  const notes = [...(note === undefined ? [] : [note]), ...unknownTools(definition, unknown)];
  for (const each of notes) settings.warn(`sub-agent ${id}: ${each}`);

  const { home, sessionId } = workplace;
  using log = newAgentLog(home, sessionId, beginning(order, sessionId, ground.cwd, model));
  await using tools = openToolSet(workplace, {
    id,
    mode,
    askPerson: askPerson && namedPerson(id, askPerson),
    askUser: askUser && namedUser(id, askUser),
    skills: definition.parts.includes("skills") ? context.skills : [],
    isEnabled,
    isReadOnly: definition.isReadOnly,
  });
  const conversation = converse(log, subAgent(order, watch, ground, { model, tools, isEnabled, delegation }));
  conversation.add(order.prompt);
  const deeds: ToolDeed[] = [];
  const outcome = await follow(conversation, watch, (event) => {
    if (event.type === "tool-end") deeds.push(...event.deeds.filter(({ kind }) => kind === "write"));
  });
  return agentReport({ outcome, notes, deeds, outputFolder: workplace.privateFolder, isCopy });
}

function unknownTools({ file }: SubAgentDefinition, unknown: readonly string[]): readonly string[] {
  if (unknown.length === 0 || file === undefined) return [];
  return [`${file} names tools that do not exist here: ${unknown.join(", ")}; it works without them`];
}

/** How its log begins. */
const beginning = (
  { id, definition, description, mode, callId, startedBy }: AgentOrder,
  session: string,
  cwd: string,
  { name: model, baseUrl }: Model,
) => ({
  id,
  cwd,
  model,
  ...(baseUrl === undefined ? {} : { baseUrl }),
  subAgent: {
    session,
    ...(startedBy === undefined ? {} : { startedBy }),
    callId,
    definition: definition.name,
    description,
    mode,
  },
});

/** Another agent may have a call with the same id. */
const namedPerson =
  (id: string, ask: AskPerson): AskPerson =>
  ({ call, because, ...question }, signal) =>
    ask(
      { ...question, call: { ...call, id: `${id}/${call.id}` }, because: `The sub-agent ${id} asks: ${because}` },
      signal,
    );

const namedUser =
  (id: string, ask: AskUser): AskUser =>
  (question, signal) =>
    ask({ ...question, question: `(sub-agent ${id}) ${question.question}` }, signal);

/** The guard, budget and sandbox of the session, and a conversation of its own. */
function subAgent(
  order: AgentOrder,
  watch: AgentWatch,
  ground: AgentGround,
  own: {
    readonly model: Model;
    readonly tools: ToolSet;
    readonly isEnabled: (name: string) => boolean;
    readonly delegation: Delegation;
  },
): TalkingAgent {
  const { session, workplace, context, servers } = ground;
  const { hooks, mode, settings } = session;
  const { model, tools, isEnabled, delegation } = own;
  const { policy, privateFolder, beforeChange } = workplace;
  const { id, definition } = order;
  const ownTools = [...tools.tools, ...tools.offered([delegation.tool])];
  const serverTools = () => servers?.tools().filter(({ name }) => isEnabled(name)) ?? [];
  const usedServers = serverTools().length === 0 ? undefined : servers;
  const knowledge = turnKnowledge({ context, openItems: () => itemsForState(tools.items.list()) });
  return {
    model,
    system: [agentPrompt(definition, context.parts), usedServers?.instructions ?? []].flat().join("\n\n"),
    tools: () => [...ownTools, ...serverTools()],
    processors: [
      knowledge,
      ...(usedServers === undefined ? [] : [usedServers.processor]),
      planProcessor(mode),
      guardProcessor(agentPermit(id, tools, ground)),
      beforeChange,
    ],
    settings: settings.settings,
    clock: realClock,
    sharedBudget: watch.budget,
    compaction: compaction({
      model,
      settings: settings.settings,
      clock: realClock,
      signal: watch.signal,
      isOneTask: true,
      standing: () => standing(tools.items, tools.runningCommands()),
    }),
    onShortened: () => tools.forgetShown(),
    gates: [stopGate(order, watch, ground)],
    hooks: callHooks(hooks),
    fingerprint: (signal) => fingerprint(policy.workspaceRoot, privateFolder, signal),
    helpers: delegation,
  };
}

/** The `subagentStop` hooks, which hear who would stop. */
function stopGate(
  { id, definition, startedBy }: AgentOrder,
  { emit }: AgentWatch,
  { session, workplace }: AgentGround,
): Gate {
  const { home, sessionId } = workplace;
  const stopping = {
    agentId: id,
    agentName: definition.name,
    agentDisplayName: definition.displayName,
    parentAgentId: startedBy,
    transcriptPath: logPath(agentsPath(sessionsPlace(home), sessionId), id),
  };
  return subagentStopGate(session.hooks, stopping, (error) =>
    emit({ type: "hook-failed", hook: "subagentStop", because: messageOf(error) }),
  );
}

/** Only hooks about calls: the others are about the session and its user. */
function callHooks({ preToolUse, postToolUse, errorOccurred }: EngineHooks): EngineHooks {
  return {
    ...(preToolUse === undefined ? {} : { preToolUse }),
    ...(postToolUse === undefined ? {} : { postToolUse }),
    ...(errorOccurred === undefined ? {} : { errorOccurred }),
  };
}

/** The session's guard. Its ids of calls are made unique, because another agent of the session may have the same ones. */
function agentPermit(id: string, tools: ToolSet, { session, workplace, servers }: AgentGround): Permit {
  const prefix = `${id}/`;
  const { guardAlso = (permit: Permit) => permit } = session.settings;
  const named = judgedByName(tools.permit, servers);
  const bare: Permit = (call, signal) => named({ ...call, id: call.id.slice(prefix.length) }, signal);
  const guarded = guardAlso(bare, workplace.containment);
  return (call, signal) => guarded({ ...call, id: `${prefix}${call.id}` }, signal);
}

const LAST_WORDS =
  "You are a sub-agent. Another agent gave you this task and sees only your last message, so put everything it needs there and say what you did not do. It cannot answer questions.";

/** The system prompt of a sub-agent: its own part, then those of the session's that it needs. */
function agentPrompt({ prompt, parts }: SubAgentDefinition, session: readonly PromptPart[]): string {
  const shared = session.filter(({ name }) => parts.includes(name)).map(({ text }) => text);
  return [prompt, ...shared, LAST_WORDS].join("\n\n");
}

async function follow(conversation: Conversation, { signal, emit }: AgentWatch, see: (event: SessionEvent) => void) {
  try {
    return await drained(conversation.run(signal), (event) => {
      see(eventOrigin(event).event);
      if (event.type !== "idle") emit(event);
    });
  } finally {
    await conversation.close();
  }
}

interface AgentModel {
  readonly model: Model;
  /** Why it is not the one that was asked for. */
  readonly note?: string;
}

/** The model of a sub-agent: what the caller asked for or its definition says, or else the session's. */
function agentModel(name: string | undefined, { model: own, otherModels, limits }: NativeSettings): AgentModel {
  if (name === undefined || name === "inherit" || name === own.name) return { model: own };
  const instead = (why: string): AgentModel => ({ model: own, note: `${why}; ${own.name} was used instead` });
  if (name === "small") return { model: priced(otherModels?.small(), limits.cost) ?? own };
  const found = otherModels?.named(name) ?? { why: `the model ${name} is not available` };
  if ("why" in found) return instead(found.why);
  return priced(found, limits.cost) === undefined
    ? instead(`the price of ${found.name} is unknown, and this session has a cost limit`)
    : { model: found };
}

/** A model without a price would end a session that has a cost limit. */
const priced = (model: Model | undefined, mostCost: number | undefined) =>
  mostCost !== undefined && model?.cost(NO_USAGE) === undefined ? undefined : model;

interface Report {
  readonly outcome: SessionOutcome;
  /** What the caller should know about how it was run. */
  readonly notes: readonly string[];
  /** The files it wrote. */
  readonly deeds: readonly ToolDeed[];
  readonly outputFolder: string;
  /** It worked in a copy of the workspace. */
  readonly isCopy?: boolean | undefined;
}

const ENDS: Readonly<Record<SessionOutcome["reason"], string>> = {
  answered: "",
  rejected: "it was ended, because the user rejected a call of it",
  aborted: "it was interrupted",
  limit: "it was ended by a limit",
  "no-progress": "it went in circles and was ended",
  refused: "its model refused to answer",
  failed: "its model failed",
  "gate-gave-up": "a gate did not accept its answer",
};

/** What the agent that started a sub-agent gets back. */
function agentReport({ outcome, notes, deeds, outputFolder, isCopy }: Report): ToolOutput {
  const { reason, because } = outcome;
  const text = outcome.text.trim();
  const shown = notes.map((note) => `[${note}]`);
  if (reason === "answered" && text !== "")
    return { text: [boundText(text, outputFolder), ...shown].join("\n\n"), failed: false, deeds };
  const end = reason === "answered" ? "it ended without an answer" : ENDS[reason];
  const why = because === "" ? end : `${end} (${because})`;
  const words = text === "" ? [] : [`Its last words: ${boundText(text, outputFolder)}`];
  return {
    text: [
      `The sub-agent did not finish: ${why}.${isCopy === true ? "" : " What it did remains."}`,
      ...words,
      ...shown,
    ].join("\n\n"),
    failed: true,
    deeds,
  };
}
