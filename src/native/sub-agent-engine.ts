import type { SubAgentDefinition } from "../contract/knowledge.ts";
import type { Policy } from "../contract/policy.ts";
import type { AskPerson, Permit } from "../contract/tool.ts";
import { realClock } from "../lib/process/tasks.ts";
import { messageOf } from "../lib/text/user-error.ts";
import type { Model } from "../models/model.ts";
import type { AgentOrder, AgentWatch } from "./agents/background-agents.ts";
import type { Delegation } from "./agents/delegation.ts";
import type { Worktrees } from "./agents/worktrees.ts";
import { compaction } from "./engine/compaction.ts";
import { subagentStopGate } from "./engine/gates.ts";
import type { EngineHooks } from "./engine/hooks.ts";
import { guardProcessor } from "./engine/processor.ts";
import type { NativeContext } from "./knowledge/context.ts";
import type { PromptPart } from "./knowledge/system-prompt.ts";
import { turnKnowledge } from "./knowledge/turn-knowledge.ts";
import type { EngineParts } from "./session/conversation.ts";
import { treeOf } from "./session/session-engine.ts";
import type { NativeTools, SubAgentToolSet } from "./session/session-tools.ts";
import { itemsForState, standing } from "./session/work-item-lines.ts";
import { type ModeSwitch, planProcessor } from "./session/work-mode.ts";
import type { NativeSettings } from "./settings/session-settings.ts";
import type { AskUser } from "./tools/conversation-tools.ts";
import type { ToolSet } from "./tools/tool-set.ts";

/** The tools of a sub-agent. Questions to the person say who asks. */
export function openAgentTools(
  { id, definition }: AgentOrder,
  { tools, context, askPerson, askUser }: AgentPlace,
  { isEnabled, delegation }: { readonly isEnabled: (name: string) => boolean; readonly delegation: Delegation },
): SubAgentToolSet {
  return tools.forSubAgent({
    id,
    filter: { isToolEnabled: isEnabled },
    isReadOnly: definition.isReadOnly,
    more: [delegation.tool],
    skills: definition.parts.includes("skills") ? context.skills : [],
    askPerson: askPerson && namedPerson(id, askPerson),
    askUser: askUser && namedUser(id, askUser),
  });
}

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

interface AgentTools {
  readonly model: Model;
  readonly tools: SubAgentToolSet;
  /** Whether its definition names a tool. */
  readonly isEnabled: (name: string) => boolean;
  readonly delegation: Delegation;
  readonly watch: AgentWatch;
  readonly transcriptPath: string;
}

/** What the engine needs for one sub-agent: the guard, budget and sandbox of the session, and a conversation of its own. */
export function agentParts(order: AgentOrder, place: AgentPlace, own: AgentTools): EngineParts {
  const { common, policy, context, hooks } = place;
  const { model, tools, isEnabled, delegation, watch } = own;
  const { servers } = place.tools;
  const serverTools = () => servers?.tools().filter(({ name }) => isEnabled(name)) ?? [];
  const usedServers = serverTools().length === 0 ? undefined : servers;
  const { settings } = common;
  const { id, definition, startedBy } = order;
  const knowledge = turnKnowledge({
    context,
    timeoutMs: undefined,
    openItems: () => itemsForState(tools.allItems()),
    fingerprint: async () => undefined,
    before: [],
    record: () => {},
  });
  const agent = {
    agentId: id,
    agentName: definition.name,
    agentDisplayName: definition.displayName,
    parentAgentId: startedBy,
    transcriptPath: own.transcriptPath,
  };
  const failed = (error: unknown) =>
    watch.emit({ type: "hook-failed", hook: "subagentStop", because: messageOf(error) });
  return {
    model,
    system: [agentPrompt(definition, context.parts), usedServers?.instructions ?? []].flat().join("\n\n"),
    tools: () => [...tools.tools, ...serverTools()],
    processors: [
      knowledge,
      ...(usedServers?.processors ?? []),
      planProcessor(place.mode),
      guardProcessor(agentPermit(order, place, tools)),
      place.tools.beforeChange,
    ],
    settings,
    clock: realClock,
    sharedBudget: watch.budget,
    compaction: compaction({
      model,
      settings,
      clock: realClock,
      signal: watch.signal,
      isOneTask: true,
      standing: () => standing(tools),
    }),
    onShortened: () => tools.forgetShown(),
    gates: [subagentStopGate({ hooks, failed }, agent)],
    hooks: callHooks(hooks),
    fingerprint: (signal) => treeOf(policy, place.tools, signal),
    delegation,
    background: delegation.background,
  };
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
function agentPermit({ id }: AgentOrder, { common, tools }: AgentPlace, set: ToolSet): Permit {
  const prefix = `${id}/`;
  const { guardAlso = (permit: Permit) => permit } = common;
  const judgedName = tools.servers?.judgedName ?? ((name: string) => name);
  const bare: Permit = (call, signal) =>
    set.permit({ ...call, id: call.id.slice(prefix.length), name: judgedName(call.name) }, signal);
  const guarded = guardAlso(bare, tools.containment);
  return (call, signal) => guarded({ ...call, id: `${prefix}${call.id}` }, signal);
}

const LAST_WORDS =
  "You are a sub-agent. Another agent gave you this task and sees only your last message, so put everything it needs there and say what you did not do. It cannot answer questions.";

/** The system prompt of a sub-agent: its own part, then those of the session's that it needs. */
function agentPrompt({ prompt, parts }: SubAgentDefinition, session: readonly PromptPart[]): string {
  const shared = session.filter(({ name }) => parts.includes(name)).map(({ text }) => text);
  return [prompt, ...shared, LAST_WORDS].join("\n\n");
}

/** What the sub-agents of a session work with. */
export interface AgentPlace {
  readonly common: NativeSettings;
  readonly sessionId: string;
  readonly cwd: string;
  readonly policy: Policy;
  readonly context: NativeContext;
  readonly hooks: EngineHooks;
  readonly tools: NativeTools;
  readonly mode: ModeSwitch;
  /** The same person as for the session, with the same queue. */
  readonly askPerson: AskPerson | undefined;
  readonly askUser: AskUser | undefined;
  /** Set where sub-agents that write work in copies of the workspace. */
  readonly worktrees?: Worktrees | undefined;
  /** True in such a copy. */
  readonly isCopy?: boolean | undefined;
}
