import { eventOrigin } from "../../contract/child-event.ts";
import type { SessionEvent } from "../../contract/engine-event.ts";
import type { ToolOutput } from "../../contract/tool.ts";
import type { ToolDeed } from "../../contract/tool-call.ts";
import { messageOf } from "../../lib/message-of.ts";
import { logPath, agentsPath, sessionsPlace } from "../../sessions/folder.ts";
import { type Conversation, converse } from "./conversation.ts";
import type { AgentOrder } from "./sub-agents/agent-order.ts";
import { openAgentLog } from "./sub-agents/agent-log.ts";
import { agentModel } from "./sub-agents/agent-model.ts";
import { agentParts, openAgentTools } from "./sub-agent-parts.ts";
import type { AgentPlace } from "./sub-agent-place.ts";
import { agentReport } from "./sub-agents/agent-report.ts";
import { definitionTools, isWriter } from "./sub-agents/definition-tools.ts";
import type { AgentWatch, RunAgent } from "./sub-agents/background-agents.ts";
import { type AgentTree, openDelegation } from "./sub-agents/delegation.ts";

/** Runs sub-agents, each with a conversation, tools and a log of its own. */
export function agentRunner(place: AgentPlace, tree: AgentTree): RunAgent {
  return async (order, watch) => {
    const { worktrees } = place;
    try {
      if (worktrees === undefined || !isWriter(order.definition)) return await runAgent(order, watch, { place, tree });
      const { runInCopy } = await import("./run-in-copy.ts");
      const run = (own: AgentOrder, copyPlace: AgentPlace) =>
        runAgent(own, watch, { place: copyPlace, tree: treeIn(copyPlace, tree) }).catch(failure);
      return await runInCopy({ order, place, worktrees, signal: watch.signal, run });
    } catch (error) {
      return failure(error);
    }
  };
}

const failure = (error: unknown): ToolOutput => ({
  text: `the sub-agent could not work: ${messageOf(error)}`,
  failed: true,
});

/** Sub-agents of a sub-agent work where it works. */
function treeIn(place: AgentPlace, tree: AgentTree): AgentTree {
  const own: AgentTree = {
    ...tree,
    isIsolated: undefined,
    run: (order, watch) => agentRunner(place, own)(order, watch),
  };
  return own;
}

interface Surroundings {
  readonly place: AgentPlace;
  readonly tree: AgentTree;
}

async function runAgent(order: AgentOrder, watch: AgentWatch, { place, tree }: Surroundings): Promise<ToolOutput> {
  const { common, cwd, sessionId } = place;
  const { model, note } = agentModel(order, common);
  const { servers } = place.tools;
  await servers?.settled(watch.signal);
  const { isEnabled, unknown } = definitionTools(
    order.definition,
    servers?.tools().map(({ name }) => name),
  );
  const notes = [...(note === undefined ? [] : [note]), ...unknownTools(order, unknown)];
  for (const each of notes) common.warn(`sub-agent ${order.id}: ${each}`);

  const { baseUrl } = model;
  const header = { cwd, model: model.name, ...(baseUrl === undefined ? {} : { baseUrl }) };
  using log = openAgentLog(order, { home: common.home, sessionId }, header);
  const delegation = openDelegation(tree, { id: order.id, depth: order.depth });
  await using tools = openAgentTools(order, place, { isEnabled, delegation });
  const transcriptPath = logPath(agentsPath(sessionsPlace(common.home), sessionId), order.id);
  const parts = agentParts(order, place, { model, tools, isEnabled, delegation, watch, transcriptPath });
  const conversation = converse(log, parts);
  conversation.add(order.prompt);
  const deeds: ToolDeed[] = [];
  const outcome = await follow(conversation, watch, (event) => {
    if (event.type === "tool-end") deeds.push(...event.deeds.filter(({ kind }) => kind === "write"));
  });
  return agentReport({ outcome, notes, deeds, outputFolder: place.tools.privateFolder, isCopy: place.isCopy });
}

function unknownTools({ definition: { file } }: AgentOrder, unknown: readonly string[]): readonly string[] {
  if (unknown.length === 0 || file === undefined) return [];
  return [`${file} names tools that do not exist here: ${unknown.join(", ")}; it works without them`];
}

async function follow(conversation: Conversation, { signal, emit }: AgentWatch, see: (event: SessionEvent) => void) {
  try {
    const run = conversation.run(signal);
    for (let next = await run.next(); ; next = await run.next()) {
      if (next.done === true) return next.value;
      see(eventOrigin(next.value).event);
      if (next.value.type !== "idle") emit(next.value);
    }
  } finally {
    await conversation.close();
  }
}
