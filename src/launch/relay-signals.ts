import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { endTree, type RunMark, TREE_LIMITS, treeOf } from "../lib/process/end-tree.ts";
import { ENDING_SIGNALS } from "../lib/process/at-exit.ts";
import type { ProcessRow } from "../lib/process/process-table.ts";

/** Forwards our signals to an agent, starting when this is created, so that early signals are not lost. */
export interface Relay extends Disposable {
  attach(child: ChildProcess): void;
  /** Ends the agent as a signal to us would. */
  end(signal: NodeJS.Signals): void;
  /** The signal that ended the agent through us, if any. */
  endingSignal(): NodeJS.Signals | undefined;
  /** The processes seen when the signal came. Their parents may be gone later. */
  known(): readonly ProcessRow[];
}

interface ReceivedSignal {
  readonly signal: NodeJS.Signals;
  readonly at: number;
  readonly typed: boolean;
}

const TYPED: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];
/** If an agent ends this soon after a typed signal, the signal ended it. */
const TYPED_MS = 500;

/**
 * A signal that asks us to end gives the agent a grace period, then ends all its processes. A second one ends them
 * immediately.
 * An agent that shares our terminal gets typed signals and size changes from the terminal itself and may keep running.
 * `ignored` is the mask of signals that were ignored when we started, as under nohup. They stay ignored.
 */
export function relaySignals(run: RunMark, sharesTerminal: boolean, ignored: string | undefined): Relay {
  const known: ProcessRow[] = [];
  let child: ChildProcess | undefined;
  let received: ReceivedSignal | undefined;
  let deadline: NodeJS.Timeout | undefined;

  const end = (signal: NodeJS.Signals) => {
    if (isIgnored(signal, ignored)) return;
    const again = received !== undefined && !received.typed;
    const typed = sharesTerminal && TYPED.includes(signal);
    received = { signal, at: performance.now(), typed };
    if (typed || child === undefined) return;
    known.push(...treeOf(run, known));
    child.kill(signal);
    clearTimeout(deadline);
    const limits = again ? { ...TREE_LIMITS, graceMs: 0 } : TREE_LIMITS;
    deadline = setTimeout(() => void endTree(run, known, limits), limits.graceMs);
  };
  const handlers = new Map<NodeJS.Signals, (signal: NodeJS.Signals) => void>(
    ENDING_SIGNALS.map((signal) => [signal, end]),
  );
  if (!sharesTerminal) addTerminalSignals(handlers, run, () => child);
  for (const [signal, handler] of handlers) process.on(signal, handler);

  return {
    attach(started) {
      child = started;
      if (received !== undefined) end(received.signal);
    },
    end,
    endingSignal() {
      const survived = received?.typed === true && performance.now() - received.at > TYPED_MS;
      return survived ? undefined : received?.signal;
    },
    known: () => known,
    [Symbol.dispose]() {
      clearTimeout(deadline);
      for (const [signal, handler] of handlers) process.off(signal, handler);
    },
  };
}

type Handlers = Map<NodeJS.Signals, (signal: NodeJS.Signals) => void>;

/** What a terminal would send to an agent in our process group: resize, Ctrl-Z, and `fg`. */
function addTerminalSignals(handlers: Handlers, run: RunMark, child: () => ChildProcess | undefined): void {
  const toTree = (signal: NodeJS.Signals) => {
    for (const row of treeOf(run)) {
      try {
        process.kill(row.pid, signal);
      } catch {
        // It has ended in the meantime.
      }
    }
  };
  handlers.set("SIGWINCH", () => child()?.kill("SIGWINCH"));
  handlers.set("SIGTSTP", () => {
    toTree("SIGSTOP");
    process.kill(process.pid, "SIGSTOP");
  });
  handlers.set("SIGCONT", () => toTree("SIGCONT"));
}

function isIgnored(signal: NodeJS.Signals, mask: string | undefined): boolean {
  if (mask === undefined || !/^[0-9a-f]{1,16}$/i.test(mask)) return false;
  return ((BigInt(`0x${mask}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}
