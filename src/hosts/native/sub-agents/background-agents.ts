import type { LoopEvent, SessionEvent } from "../../../contract/engine-event.ts";
import type { ToolOutput } from "../../../contract/tool.ts";
import type { Budget } from "../../../engine/budget.ts";
import type { PromptQueue } from "../../../engine/prompt-queue.ts";
import type { AgentOrder } from "./agent-order.ts";
import { resultMessage } from "./result-message.ts";

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
export interface BackgroundAgents {
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
