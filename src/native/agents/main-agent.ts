import { realClock } from "../../lib/process/tasks.ts";
import { compaction } from "../engine/compaction.ts";
import { effortGate } from "../engine/effort-gate.ts";
import type { Gate } from "../engine/gates.ts";
import { tellCompaction } from "../engine/hooks.ts";
import { guardProcessor, type Processor } from "../engine/processor.ts";
import { systemPrompt } from "../knowledge/system-prompt.ts";
import { turnKnowledge } from "../knowledge/turn-knowledge.ts";
import type { Session } from "../log/session-log.ts";
import type { OpenCheck } from "../session/check.ts";
import type { TalkingAgent } from "../session/conversation.ts";
import { fingerprint } from "../session/fingerprint.ts";
import { judgedByName, withPart } from "../session/servers.ts";
import { autopilot, planProcessor, unlessPlan } from "../session/work-mode.ts";
import { readingCommands } from "../tools/guard-permit.ts";
import { TOOL_NAMES } from "../tools/tool-names.ts";
import type { ToolSet } from "../tools/tool-set.ts";
import { itemsForState, standing, workItemsGate } from "../tools/work-items.ts";
import type { SessionUndo } from "../undo/session-undo.ts";
import type { AgentGround, Delegation } from "./delegation.ts";
import { worktreesText } from "./worktrees.ts";

/** What the session's own agent has beside the others. */
interface MainAgent {
  readonly session: Session;
  readonly tools: ToolSet;
  readonly delegation: Delegation;
  readonly undo: SessionUndo;
  /** The user's check; undefined without one. */
  readonly check: OpenCheck | undefined;
  readonly isOneTask: boolean;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
}

/** The session's own agent, with its processors and gates in the order they are asked. */
export function mainAgent(ground: AgentGround, own: MainAgent): TalkingAgent {
  const { hooks, mode, settings, worktrees } = ground.session;
  const { workplace, context, servers } = ground;
  const { tools, delegation, undo, signal: ended } = own;
  const { model, limits, warn, guardAlso = (permit) => permit } = settings;
  const pilot = autopilot(mode, settings.filters, settings.settings.autopilot_continues);
  const ownTools = [...tools.tools, ...tools.offered([delegation.tool])];
  const tree = (signal: AbortSignal) => fingerprint(workplace.policy.workspaceRoot, workplace.privateFolder, signal);
  const knowledge = turnKnowledge({
    context,
    timeoutMs: limits.ms,
    openItems: () => itemsForState(tools.items.list()),
    fingerprint: tree,
    before: own.session.before,
    record: (record) => own.session.append(record),
    written: () => [...new Set(undo.turns.turns.flatMap(({ wrote }) => [...wrote]))],
  });
  const prompt = withPart(context.parts, "MCP servers", servers?.instructions);
  return {
    model,
    system: systemPrompt(withPart(prompt, "worktrees", worktrees && worktreesText(worktrees.most))),
    tools: () => [...ownTools, ...pilot.tools(), ...(servers?.tools() ?? [])],
    awaitTools: servers?.settled,
    processors: [
      undo.tell,
      knowledge,
      ...(servers === undefined ? [] : [servers.processor]),
      planProcessor(mode),
      pilot.processor,
      guardProcessor(guardAlso(judgedByName(tools.permit, servers), workplace.containment)),
      workplace.beforeChange,
      whileModelThinks([undo, workplace.containment], ended),
    ],
    settings: settings.settings,
    clock: realClock,
    limits: {
      turns: limits.turns,
      cost: limits.cost,
      deadline: limits.ms === undefined ? undefined : realClock.now() + limits.ms,
    },
    compaction: compaction({
      model,
      settings: settings.settings,
      clock: realClock,
      signal: ended,
      isOneTask: own.isOneTask,
      standing: () => standing(tools.items, tools.runningCommands()),
      before: (trigger) => tellCompaction(hooks, trigger, warn),
    }),
    onShortened: () => tools.forgetShown(),
    onRest: undo.rested,
    gates: [...gates(ground, own, pilot.gate), ...(worktrees === undefined ? [] : [worktrees.gate])],
    hooks,
    fingerprint: tree,
    helpers: delegation,
  };
}

/** A request is on the wire by then. A model that answers sooner is not delayed: its first call opens what it needs. */
const ON_THE_WIRE_MS = 25;

/** Opens what the first call needs, while the model thinks about the first request. */
function whileModelThinks(parts: readonly { readonly prepare: () => void }[], ended: AbortSignal): Processor {
  let timer: NodeJS.Timeout | undefined;
  ended.addEventListener("abort", () => clearTimeout(timer), { once: true });
  const prepare = () => parts.forEach((part) => part.prepare());
  return { name: "early start", onRequest: () => void (timer ??= setTimeout(prepare, ON_THE_WIRE_MS)) };
}

/** The gates in the order they are asked, without the `agentStop` hooks, which come last. */
function gates({ session, workplace }: AgentGround, { check, tools }: MainAgent, pilot: Gate): readonly Gate[] {
  const { mode, askPerson } = session;
  const onlyReads = readingCommands(workplace.policy.workspaceRoot);
  const isReadOnly = (command: string) => onlyReads({ command });
  // A person in a conversation sees what was not done, and may want to be asked in the middle of it.
  const whenAlone = (gate: Gate): Gate => ({
    ...gate,
    check: async (step) => (askPerson === undefined || mode.current === "auto" ? await gate.check(step) : undefined),
  });
  return [
    pilot,
    ...(check === undefined ? [] : [check.gate]),
    whenAlone(effortGate(isReadOnly, OWN_TOOLS)),
    whenAlone(workItemsGate(tools.items)),
  ].map((gate) => unlessPlan(gate, mode));
}

const OWN_TOOLS: ReadonlySet<string> = new Set(TOOL_NAMES);
