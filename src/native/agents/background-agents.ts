import type { LoopEvent, SessionEvent } from "../../contract/engine-event.ts";
import type { SubAgentDefinition } from "../../contract/knowledge.ts";
import type { ToolOutput } from "../../contract/tool.ts";
import type { Budget } from "../engine/budget.ts";
import type { PromptQueue, QueuedPrompt } from "../engine/prompt-queue.ts";

/** What a conversation offers to the sub-agents of its agent. */
export interface LiveAgent {
  readonly budget: Budget;
  readonly beside: LoopEvent[];
  readonly queue: PromptQueue;
}

/** Runs one sub-agent to its end. It never throws, and settles soon after `signal` aborts. */
export type RunAgent = (order: AgentOrder, watch: AgentWatch) => Promise<ToolOutput>;

export interface AgentWatch {
  readonly budget: Budget;
  readonly signal: AbortSignal;
  readonly emit: (event: SessionEvent) => void;
}

/** The sub-agents that work while the agent that started them goes on. */
interface BackgroundAgents {
  readonly size: number;
  readonly start: (order: AgentOrder, outer: AbortSignal, live: LiveAgent) => void;
  /** Yields what they do, until none runs any more or a prompt is waiting. */
  readonly events: (live: LiveAgent) => AsyncGenerator<LoopEvent, void>;
  /** Lets `events` look again whether a prompt is waiting. */
  readonly wake: () => void;
  /** Ends those that still run, and waits for them. */
  readonly end: () => Promise<void>;
}

export function backgroundAgents(run: RunAgent): BackgroundAgents {
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
    start(order, outer, { budget, beside, queue }) {
      const { id: agent, callId } = order;
      const abort = new AbortController();
      const emit = (event: SessionEvent) => {
        beside.push({ type: "child", agent, callId, event });
        wake();
      };
      const work = run(order, { budget, signal: AbortSignal.any([outer, abort.signal]), emit }).then((output) => {
        queue.add(resultMessage(order, output));
        running.delete(agent);
        wake();
      });
      running.set(agent, { abort, work });
    },
    async *events({ beside, queue }) {
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
export function resultMessage({ id, description }: Pick<AgentOrder, "id" | "description">, output: ToolOutput) {
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
