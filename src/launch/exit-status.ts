import { constants } from "node:os";

/** How a child ended. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * The exit status to report for an agent. A signal is 128+n and never 0. Agents that are asked to stop often exit with
 * 0; in that case, the signal we received counts.
 */
export function exitStatus(end: ChildEnd, received: NodeJS.Signals | undefined): number {
  if (end.signal !== null) return signalStatus(end.signal);
  if (end.code === null) return signalStatus("SIGKILL");
  return end.code === 0 && received !== undefined ? signalStatus(received) : end.code;
}

const signalStatus = (signal: NodeJS.Signals) => 128 + (constants.signals[signal] ?? constants.signals.SIGKILL);
