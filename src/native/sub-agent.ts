import { eventOrigin, type SessionEvent, type SessionOutcome, type ToolDeed } from "../contract/engine-event.ts";
import type { ToolOutput } from "../contract/tool.ts";
import { messageOf } from "../lib/text/user-error.ts";
import type { Model } from "../models/model.ts";
import type { OtherModels } from "../models/other-models.ts";
import type { AgentOrder, AgentWatch, RunAgent } from "./agents/background-agents.ts";
import { definitionTools, isWriter } from "./agents/definition-tools.ts";
import { type AgentTree, openDelegation } from "./agents/delegation.ts";
import { openAgentLog } from "./agents/session-agents.ts";
import { agentsPath, logPath, sessionsPlace } from "./log/log-folder.ts";
import { type Conversation, converse } from "./session/conversation.ts";
import { agentParts, type AgentPlace, openAgentTools } from "./sub-agent-engine.ts";
import { boundText } from "./tools/answer.ts";

/** Runs sub-agents, each with a conversation, tools and a log of its own. */
export function agentRunner(place: AgentPlace, tree: AgentTree): RunAgent {
  return async (order, watch) => {
    const { worktrees } = place;
    try {
      if (worktrees === undefined || !isWriter(order.definition)) return await runAgent(order, watch, { place, tree });
      const { runInCopy } = await import("./sub-agent-copy.ts");
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

interface AgentModel {
  readonly model: Model;
  /** Why it is not the one that was asked for. */
  readonly note?: string;
}

interface SessionModels {
  readonly model: Model;
  readonly otherModels?: OtherModels | undefined;
  readonly mostCost?: number | undefined;
}

/** The model of a sub-agent: what the caller asked for, what its definition says, or the session's. */
export function agentModel(
  { model: wanted, definition }: Pick<AgentOrder, "model" | "definition">,
  { model: own, otherModels, mostCost }: SessionModels,
): AgentModel {
  const name = wanted ?? definition.model;
  if (name === undefined || name === "inherit" || name === own.name) return { model: own };
  const instead = (why: string): AgentModel => ({ model: own, note: `${why}; ${own.name} was used instead` });
  if (name === "small") return { model: priced(otherModels?.small(), mostCost) ?? own };
  const found = otherModels?.named(name) ?? { why: `the model ${name} is not available` };
  if ("why" in found) return instead(found.why);
  return priced(found, mostCost) === undefined
    ? instead(`the price of ${found.name} is unknown, and this session has a cost limit`)
    : { model: found };
}

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** A model without a price would end a session that has a cost limit. */
const priced = (model: Model | undefined, mostCost: number | undefined) =>
  mostCost !== undefined && model?.cost(NOTHING) === undefined ? undefined : model;

interface Report {
  readonly outcome: Pick<SessionOutcome, "reason" | "because" | "text">;
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
export function agentReport({ outcome, notes, deeds, outputFolder, isCopy }: Report): ToolOutput {
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
