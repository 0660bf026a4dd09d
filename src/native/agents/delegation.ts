import * as z from "zod";
import type { LoopEvent } from "../../contract/engine-event.ts";
import type { SubAgentDefinition } from "../../contract/knowledge.ts";
import type { Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { QueuedPrompt } from "../engine/prompt-queue.ts";
import { showAgents } from "../knowledge/agent-definitions.ts";
import { type AgentOrder, backgroundAgents, type LiveAgent, type RunAgent } from "./background-agents.ts";

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
  readonly isIsolated?: ((definition: SubAgentDefinition) => boolean) | undefined;
}

/** Starts the sub-agents of one agent. None of them outlives a run of its conversation. */
export interface Delegation {
  readonly tool: Tool;
  /** Called by the conversation before anything runs. */
  readonly begin: (live: LiveAgent) => void;
  /** Yields what sub-agents in the background do, until none runs any more or a prompt is waiting. */
  readonly background: () => AsyncGenerator<LoopEvent, void>;
  /** A prompt has come, so nobody needs to wait for sub-agents any longer. */
  readonly wake: () => void;
  /** Ends the sub-agents that still run, and waits for them. */
  readonly end: () => Promise<void>;
}

interface Self {
  /** Undefined for the session's own agent. */
  readonly id: string | undefined;
  readonly depth: number;
  /** What the model must still be told about sub-agents of an earlier run. */
  readonly left?: readonly QueuedPrompt[];
}

export function openDelegation(tree: AgentTree, self: Self): Delegation {
  const background = backgroundAgents(tree.run);
  let live: LiveAgent | undefined;

  const start = async (input: TaskInput, definition: SubAgentDefinition, context: ToolContext): Promise<ToolOutput> => {
    const { mode, prompt, description, model } = input;
    const { callId, signal } = context;
    if (live === undefined) return refused("no conversation has begun");
    if (self.depth >= MAX_DEPTH) return refused(`sub-agents may be nested ${MAX_DEPTH} deep; do this yourself`);
    if (mode === "background" && background.size >= MAX_BACKGROUND)
      return refused(`${MAX_BACKGROUND} sub-agents already run in the background; wait for the result of one`);
    const number = tree.nextNumber();
    if (number > MAX_AGENTS) return refused(`a session may start ${MAX_AGENTS} sub-agents; do this yourself`);
    const id = `${definition.name}-${number}`;
    const from = { callId, startedBy: self.id, depth: self.depth + 1 };
    const order: AgentOrder = { id, definition, prompt, description, model, mode, ...from };
    if (mode === "background") {
      background.start(order, signal, live);
      return { text: `${id} works in the background. Its result will come to you as a message.`, failed: false };
    }
    return await tree.run(order, { budget: live.budget, signal, emit: (event) => context.emit(id, event) });
  };

  return {
    tool: taskTool({ agents: tree.agents, isIsolated: tree.isIsolated, start }),
    begin(conversation) {
      live = conversation;
      for (const prompt of self.left ?? []) conversation.queue.add(prompt);
    },
    wake: background.wake,
    async *background() {
      if (live !== undefined) yield* background.events(live);
    },
    end: background.end,
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

interface TaskToolParts {
  readonly agents: readonly SubAgentDefinition[];
  readonly isIsolated?: ((definition: SubAgentDefinition) => boolean) | undefined;
  readonly start: (input: TaskInput, definition: SubAgentDefinition, context: ToolContext) => Promise<ToolOutput>;
}

/** The tool that starts sub-agents. Those that change nothing, or only a copy, run side by side. */
function taskTool({ agents, isIsolated, start }: TaskToolParts): Tool<typeof TaskInput> {
  const find = (name: string) => agents.find((agent) => agent.name === name);
  return {
    name: "task",
    description: `${DESCRIPTION}${showAgents(agents)}`,
    input: TaskInput,
    sideBySide({ agent_type: name, mode }) {
      const definition = find(name);
      if (mode === "background" || definition === undefined) return mode === "background";
      return definition.isReadOnly || isIsolated?.(definition) === true;
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
