import type { AskPerson, Permit } from "../../contract/tool.ts";
import { compaction } from "../../engine/compaction/compaction.ts";
import { subagentStopGate } from "../../engine/gates.ts";
import type { EngineHooks } from "../../engine/hooks.ts";
import { guardProcessor } from "../../engine/processor.ts";
import { messageOf } from "../../lib/message-of.ts";
import { realClock } from "../../lib/real-clock.ts";
import type { Model } from "../../models/model.ts";
import type { AskUser } from "../../tools/ask-user.ts";
import type { ToolSet } from "../../tools/tool-set.ts";
import type { EngineParts } from "./conversation.ts";
import type { SubAgentToolSet } from "./native-tools.ts";
import { treeOf } from "./engine-parts.ts";
import { planProcessor } from "./work-mode.ts";
import { turnKnowledge } from "./turn-knowledge.ts";
import { itemsForState, standing } from "./work-item-lines.ts";
import type { AgentOrder } from "./sub-agents/agent-order.ts";
import type { AgentPlace } from "./sub-agent-place.ts";
import { agentPrompt } from "./sub-agents/agent-prompt.ts";
import type { AgentWatch } from "./sub-agents/background-agents.ts";
import type { Delegation } from "./sub-agents/delegation.ts";

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
