import { dollars } from "../../lib/text/printable.ts";

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
