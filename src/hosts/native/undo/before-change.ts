import type { Processor } from "../../../engine/processor.ts";
import type { TurnSnapshots } from "../../../snapshots/turn-snapshots.ts";
import { changeJudge } from "./change-judge.ts";

interface BeforeChange {
  readonly workspace: string;
  readonly snapshots: Pick<TurnSnapshots, "before" | "touched">;
  /** The turn that is going on; undefined before the first prompt. */
  readonly turn: () => string | undefined;
}

/**
 * Has the state of the workspace stored before the first call of a turn that could change it. It comes after the guard,
 * so that a call which is not allowed costs nothing. One for all agents of a session.
 */
export function beforeChange({ workspace, snapshots, turn }: BeforeChange): Processor {
  const mayChange = changeJudge(workspace);
  let stored: string | undefined;
  return {
    name: "undo",
    async preTools(calls) {
      const now = turn();
      if (now === undefined || (stored !== now && !calls.some(mayChange))) return [];
      await snapshots.before(now);
      stored = now;
      return [];
    },
    async postTool() {
      if (stored !== undefined) snapshots.touched();
      return undefined;
    },
  };
}
