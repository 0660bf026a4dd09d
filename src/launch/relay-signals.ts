import type { ChildProcess } from "node:child_process";
import { endTree, type RunMark, TREE_LIMITS, treeOf } from "./end-tree.ts";
import type { ProcessRow } from "./process-table.ts";

/** Passes our signals on to an agent, from the moment it is made: none that comes before the agent is lost. */
export interface Relay extends Disposable {
  attach(child: ChildProcess): void;
  /** The signal that ended the agent through us, if one did. */
  told(): NodeJS.Signals | undefined;
  /** The processes seen when it came: their parents may be gone later. */
  known(): readonly ProcessRow[];
}

const ENDING = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
const TYPED: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];

/**
 * A signal that asks us to end gives the agent a grace, then ends its whole tree; a second one ends it at once.
 * An agent that shares our terminal gets typed signals and size changes from the terminal itself and may live on.
 */
export function relaySignals(run: RunMark, sharesTerminal: boolean): Relay {
  const known: ProcessRow[] = [];
  let child: ChildProcess | undefined;
  let told: { signal: NodeJS.Signals; at: number; typed: boolean } | undefined;
  let deadline: NodeJS.Timeout | undefined;

  const end = (signal: NodeJS.Signals) => {
    const again = told !== undefined && !told.typed;
    const typed = sharesTerminal && TYPED.includes(signal);
    told = { signal, at: performance.now(), typed };
    if (typed || child === undefined) return;
    known.push(...treeOf(run, known));
    child.kill(signal);
    clearTimeout(deadline);
    const limits = again ? { ...TREE_LIMITS, graceMs: 0 } : TREE_LIMITS;
    deadline = setTimeout(() => void endTree(run, known, limits), limits.graceMs);
  };
  const resize = () => {
    if (!sharesTerminal) child?.kill("SIGWINCH");
  };
  for (const signal of ENDING) process.on(signal, end);
  process.on("SIGWINCH", resize);

  return {
    attach(started) {
      child = started;
      if (told !== undefined) end(told.signal);
    },
    told() {
      const lived = told?.typed === true && performance.now() - told.at > TREE_LIMITS.graceMs;
      return lived ? undefined : told?.signal;
    },
    known: () => known,
    [Symbol.dispose]() {
      clearTimeout(deadline);
      for (const signal of ENDING) process.off(signal, end);
      process.off("SIGWINCH", resize);
    },
  };
}
