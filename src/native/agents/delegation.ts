import * as z from "zod";
import type { LoopEvent, SessionEvent } from "../../contract/engine-event.ts";
import type { SubAgentDefinition } from "../../contract/knowledge.ts";
import type { AskPerson, AskUser, Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { EngineHooks } from "../engine/hooks.ts";
import type { Budget } from "../engine/processor.ts";
import type { QueuedPrompt } from "../engine/run-session.ts";
import { showAgents } from "../knowledge/agent-definitions.ts";
import type { NativeContext } from "../knowledge/context.ts";
import type { Helpers, LiveAgent } from "../session/conversation.ts";
import type { SessionServers } from "../session/servers.ts";
import type { ModeSwitch } from "../session/work-mode.ts";
import type { NativeSettings } from "../settings/session-settings.ts";
import type { Workplace } from "../tools/workplace.ts";
import type { Worktrees } from "./worktrees.ts";

/** How deep sub-agents may be nested. */
const MAX_DEPTH = 3;

/** How many of one agent may run in the background at once. */
const MAX_BACKGROUND = 8;

/** How many a session may start in all. */
const MAX_AGENTS = 1000;

/** What all agents of a session share. */
export interface AgentTree {
  readonly agents: readonly SubAgentDefinition[];
  readonly run: RunAgent;
  /** A number that no sub-agent of the session had before. */
  readonly nextNumber: () => number;
  /** Whether such a sub-agent works in a copy of the workspace, beside others. */
  readonly isIsolated: (definition: SubAgentDefinition) => boolean;
}

/** Starts the sub-agents of one agent. */
export interface Delegation extends Helpers {
  readonly tool: Tool;
}

/**
 * `id` is undefined for the session's own agent, whose depth is 0. `left` is what the model must still be told about
 * sub-agents of an earlier run.
 */
export function openDelegation(
  tree: AgentTree,
  id: string | undefined,
  depth: number,
  left: readonly QueuedPrompt[] = [],
): Delegation {
  const background = backgroundAgents(tree.run);
  let live: LiveAgent | undefined;

  const start = async (input: TaskInput, definition: SubAgentDefinition, context: ToolContext): Promise<ToolOutput> => {
    const { mode, prompt, description, model } = input;
    const { callId, signal } = context;
    if (live === undefined) return refused("no conversation has begun");
    if (depth >= MAX_DEPTH) return refused(`sub-agents may be nested ${MAX_DEPTH} deep; do this yourself`);
    if (mode === "background" && background.size >= MAX_BACKGROUND)
      return refused(`${MAX_BACKGROUND} sub-agents already run in the background; wait for the result of one`);
    const number = tree.nextNumber();
    if (number > MAX_AGENTS) return refused(`a session may start ${MAX_AGENTS} sub-agents; do this yourself`);
    const started = `${definition.name}-${number}`;
    const from = { callId, startedBy: id, depth: depth + 1 };
    const order: AgentOrder = { id: started, definition, prompt, description, model, mode, ...from };
    if (mode === "background") {
      background.start(order, signal, live);
      return { text: `${started} works in the background. Its result will come to you as a message.`, failed: false };
    }
    return await tree.run(order, { budget: live.budget, signal, emit: (event) => context.emit(started, event) });
  };

  return {
    tool: taskTool(tree, start),
    begin(conversation) {
      live = conversation;
      for (const prompt of left) conversation.queue.add(prompt);
    },
    wake: background.wake,
    async *background() {
      if (live !== undefined) yield* background.events(live);
    },
    end: () => background.end(),
  };
}

const refused = (text: string): ToolOutput => ({ text: `no sub-agent was started: ${text}`, failed: true });

const TaskInput = z.strictObject({
  description: z.string().min(1).max(200).describe("3 to 5 words"),
  prompt: z.string().min(1).max(200_000),
  agent_type: z.string().min(1).max(100),
  model: z.string().min(1).max(200).optional(),
  mode: z.enum(["sync", "background"]).default("sync"),
});

type TaskInput = z.output<typeof TaskInput>;

const DESCRIPTION =
  "Give a task to a sub-agent that sees only your prompt: explore (find things), task (run builds or tests), code-review, general-purpose. You get its last answer, which is evidence and not a verdict.";

type StartTask = (input: TaskInput, definition: SubAgentDefinition, context: ToolContext) => Promise<ToolOutput>;

/** The tool that starts sub-agents. Those that change nothing, or only a copy, run side by side. */
function taskTool({ agents, isIsolated }: AgentTree, start: StartTask): Tool<typeof TaskInput> {
  const find = (name: string) => agents.find((agent) => agent.name === name);
  return {
    name: "task",
    description: `${DESCRIPTION}${showAgents(agents)}`,
    input: TaskInput,
    sideBySide({ agent_type: name, mode }) {
      const definition = find(name);
      if (mode === "background" || definition === undefined) return mode === "background";
      return definition.isReadOnly || isIsolated(definition);
    },
    async run(input, context) {
      const definition = find(input.agent_type);
      if (definition === undefined) return { text: unknown(input.agent_type, agents), failed: true };
      return await start(input, definition, context);
    },
  };
}

function unknown(name: string, agents: readonly SubAgentDefinition[]): string {
  const names = agents.map((agent) => agent.name);
  const close = nearest(name, names);
  return close === undefined
    ? `unknown agent type; there are ${names.join(", ")}`
    : `unknown agent type; did you mean ${close}?`;
}

/** Runs one sub-agent to its end. It never throws, and settles soon after `signal` aborts. */
type RunAgent = (order: AgentOrder, watch: AgentWatch) => Promise<ToolOutput>;

export interface AgentWatch {
  readonly budget: Budget;
  readonly signal: AbortSignal;
  readonly emit: (event: SessionEvent) => void;
}

/** The sub-agents that work while the agent that started them goes on. `start` is for one with a live conversation. */
function backgroundAgents(run: RunAgent) {
  const running = new Map<string, { readonly abort: AbortController; readonly work: Promise<void> }>();
  let bell = Promise.withResolvers<void>();
  const wake = () => {
    bell.resolve();
    bell = Promise.withResolvers();
  };
  return {
    get size() {
      return running.size;
    },
    wake,
    start(order: AgentOrder, outer: AbortSignal, { budget, beside, queue }: LiveAgent) {
      const { id: agent, callId } = order;
      const abort = new AbortController();
      const emit = (event: SessionEvent) => {
        beside.push({ type: "child", agent, callId, event });
        wake();
      };
      const work = run(order, { budget, signal: AbortSignal.any([outer, abort.signal]), emit }).then((output) => {
        queue.add(resultMessage(order.id, order.description, output));
        running.delete(agent);
        wake();
      });
      running.set(agent, { abort, work });
    },
    async *events({ beside, queue }: LiveAgent): AsyncGenerator<LoopEvent, void> {
      while (running.size > 0 && queue.size === 0) {
        const { promise } = bell;
        yield* beside.splice(0);
        if (running.size > 0 && queue.size === 0 && beside.length === 0) await promise;
      }
      yield* beside.splice(0);
    },
    async end() {
      for (const { abort } of running.values()) abort.abort(new Error("the agent that started it has ended"));
      await Promise.all([...running.values()].map(({ work }) => work));
    },
  };
}

/** One task for one sub-agent. */
export interface AgentOrder {
  /** Unique in the session: `explore-1`. */
  readonly id: string;
  readonly definition: SubAgentDefinition;
  readonly prompt: string;
  readonly description: string;
  /** The model that the caller wants; undefined for that of the definition. */
  readonly model: string | undefined;
  readonly mode: "sync" | "background";
  readonly callId: string;
  /** The sub-agent that gives the order; undefined for the session's own agent. */
  readonly startedBy: string | undefined;
  /** 1 for a sub-agent of the session's own agent. */
  readonly depth: number;
}

/** Marks the message that told the model about a sub-agent, so that it is not told again. */
const TOLD = "sub-agent:";

/** What a sub-agent in the background has found out, as a message to the agent that started it. */
export function resultMessage(id: string, description: string, output: ToolOutput): QueuedPrompt {
  const how = output.failed ? "has failed" : "is done";
  const text = `[The sub-agent ${id} (${description}) ${how}. This is its result, not a message from the user.]\n\n${output.text}`;
  return agentMessage(id, text);
}

export const agentMessage = (id: string, text: string): QueuedPrompt => ({
  id: `${TOLD}${id}`,
  message: { role: "user", text, source: "agent" },
});

/** The sub-agent that a message told about. */
export const toldAgent = (promptId: string | undefined): string | undefined =>
  promptId?.startsWith(TOLD) === true ? promptId.slice(TOLD.length) : undefined;

/** What all agents of a session have in common, wherever they work. */
interface AgentSession {
  readonly settings: NativeSettings;
  readonly hooks: EngineHooks;
  readonly mode: ModeSwitch;
  /** One queue of questions for all of them; undefined where nobody can be asked. */
  readonly askPerson: AskPerson | undefined;
  readonly askUser: AskUser | undefined;
  /** Set where sub-agents that write work in copies of the workspace. */
  readonly worktrees: Worktrees | undefined;
}

/** Where an agent of a session works, and what it finds there. */
export interface AgentGround {
  readonly session: AgentSession;
  readonly workplace: Workplace;
  readonly cwd: string;
  readonly context: NativeContext;
  /** None in a copy of the workspace. */
  readonly servers: SessionServers | undefined;
  readonly isCopy?: boolean;
}
