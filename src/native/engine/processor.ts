import type { LoopEvent, ModelCall, UsageEvent } from "../../contract/engine-event.ts";
import type { EngineSettings } from "../../contract/engine-settings.ts";
import type { Message, TokenUsage } from "../../contract/message.ts";
import type { Permit, Tool, ToolOutput } from "../../contract/tool.ts";
import { dollars } from "../../lib/text/printable.ts";
import type { Model, ModelError, ModelEvent, ModelRequest, ToolOffer } from "../../models/model.ts";

/**
 * A decision on one call of a batch. `deny` fails the call, `reject` ends the run, `note` is passed to the model with
 * the result.
 */
export type CallRuling =
  | { readonly kind: "deny"; readonly callId: string; readonly because: string }
  | { readonly kind: "reject"; readonly callId: string; readonly because: string }
  | { readonly kind: "change"; readonly callId: string; readonly input: unknown }
  | { readonly kind: "note"; readonly callId: string; readonly text: string };

/** The request that is about to be made, or that has failed. */
export interface RequestStep {
  readonly turn: number;
  readonly system: string;
  /** As it is now, with the changes that were yielded so far. */
  readonly history: readonly Message[];
  readonly tools: readonly ToolOffer[];
  /** What the provider counted for the last answer of this run. */
  readonly lastUsage: TokenUsage | undefined;
  /** What is left of the session's limits. */
  readonly left: ReturnType<Budget["left"]>;
  readonly signal: AbortSignal;
  /** Charges a request of its own, by the name of the part that made it. The event must be yielded or reported. */
  readonly charge: (usage: TokenUsage | undefined, agent: string) => UsageEvent;
  /** Yields an event later, from work that goes on beside the loop. */
  readonly report: (event: LoopEvent) => void;
}

/**
 * A participant in the inner loop. Processors are asked in order, and each sees the changes of those before it.
 * A `preTools` that throws denies the whole batch.
 */
export interface Processor {
  readonly name: string;
  /** Before a request. It changes the history only by the events it yields. */
  preRequest?(step: RequestStep): AsyncGenerator<LoopEvent, void>;
  /**
   * Texts for this request only. They stand behind everything that a provider caches, and are neither kept nor logged.
   */
  decorate?(step: RequestStep): Promise<readonly string[]>;
  /** Right before calls run: one call, or several read-only ones that run in parallel. */
  preTools?(calls: readonly ModelCall[], signal: AbortSignal): Promise<readonly CallRuling[]>;
  /** After a call ran. Returns the output to use instead. */
  postTool?(call: ModelCall, output: ToolOutput): Promise<ToolOutput | undefined>;
  /** After a request that was too large. If it shortens the history, the request is tried once more. */
  onRequestError?(error: ModelError, step: RequestStep): AsyncGenerator<LoopEvent, void>;
  /** Right before a request is made, with everything that is in it. */
  onRequest?(request: ModelRequest): void;
  onChunk?(event: ModelEvent): void;
}

/** The guard as a processor. It is the last one, so that it judges the calls as changed by hooks. */
export function guardProcessor(permit: Permit): Processor {
  return {
    name: "the guard",
    async preTools(calls, signal) {
      const rulings: CallRuling[] = [];
      // One after the other, because a person can only answer one question at a time.
      for (const call of calls) {
        const permission = await permit(call, signal);
        if (permission.verdict === "allow") continue;
        rulings.push({ kind: permission.verdict, callId: call.id, because: permission.because });
        if (permission.verdict === "reject") break;
      }
      return rulings;
    },
  };
}

/** What an agent is made of. The engine has no direct access to disk, network or clock. */
export interface LoopAgent {
  readonly model: Model;
  readonly system: string;
  /** Asked in every turn. Tools keep the place they were first offered in; new ones come last. */
  readonly tools: () => readonly Tool[];
  /** Waits a short time for tools that are on their way. Asked before `tools` in every turn. */
  readonly awaitTools?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly processors: readonly Processor[];
  readonly settings: EngineSettings;
  readonly clock: Clock;
  /**
   * Anything that differs after work was done, such as a hash of the tree. If unknown, nothing counts as a change.
   */
  readonly fingerprint?: (signal: AbortSignal) => Promise<string | undefined>;
}

/** An agent, and what belongs to one run of it. */
export interface LoopParts extends LoopAgent {
  readonly signal: AbortSignal;
  readonly budget: Budget;
  readonly cacheKey?: string;
  /** The ids of all calls so far, where the history may not show all of them. */
  readonly usedIds?: Set<string>;
  /** Events of work beside the loop, such as a summary that is being written. The loop yields them with its own. */
  readonly beside: LoopEvent[];
}

/** Time and randomness, passed in so that tests can control them. */
export interface Clock {
  /** Milliseconds that only grow, whatever happens to the time of day. */
  now(): number;
  /** Settles after the given milliseconds; throws the signal's reason if it aborts first. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

/** Charges a request to the budget. The event it returns is the only account of it, so it must be yielded. */
export function charged(usage: TokenUsage | undefined, model: Model, budget: Budget, agent?: string): UsageEvent {
  const cost = usage === undefined ? undefined : model.cost(usage);
  budget.charge(cost === undefined ? { unknown: true } : { cost });
  return { type: "usage", usage, cost, ...(agent === undefined ? {} : { agent }) };
}

/** What a session may use up. Absent: no limit. */
export interface BudgetLimits {
  readonly turns?: number | undefined;
  /** In US dollars. */
  readonly cost?: number | undefined;
  /** A time of the clock, in milliseconds. */
  readonly deadline?: number | undefined;
}

/** What was used up, for example before a session was resumed. */
export interface Spent {
  readonly turns: number;
  readonly cost: number;
}

/** One budget for a whole session: the main loop, its sub-agents and its summaries all charge it. */
export interface Budget {
  /** `unknown`: something was spent, and nobody knows how much. */
  charge(spent: Partial<Spent> & { readonly unknown?: boolean }): void;
  /** What is left of each limit; undefined where there is none. */
  left(): { readonly turns: number | undefined; readonly cost: number | undefined; readonly ms: number | undefined };
  /** Which limit is reached, in words; undefined while there is something left of all of them. */
  over(): string | undefined;
}

export function openBudget(
  { turns, cost, deadline }: BudgetLimits,
  { now, spent = { turns: 0, cost: 0 } }: { readonly now: () => number; readonly spent?: Spent },
): Budget {
  const used = { ...spent };
  let isUnknown = false;
  const leftOf = (limit: number | undefined, part: number) =>
    limit === undefined ? undefined : Math.max(0, limit - part);
  return {
    charge(more) {
      used.turns += more.turns ?? 0;
      used.cost += more.cost ?? 0;
      isUnknown ||= more.unknown === true;
    },
    left: () => ({ turns: leftOf(turns, used.turns), cost: leftOf(cost, used.cost), ms: leftOf(deadline, now()) }),
    over() {
      if (cost !== undefined && used.cost >= cost) return `the session cost ${dollars(used.cost)}`;
      if (cost !== undefined && isUnknown)
        return "the provider did not say how many tokens a request used, so its cost cannot be limited";
      if (turns !== undefined && used.turns >= turns) return `${turns} turns used up`;
      return deadline !== undefined && now() >= deadline ? "the time is over" : undefined;
    },
  };
}
