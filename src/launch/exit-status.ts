import { constants } from "node:os";

/** How a child ended. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * The status to report for an agent. A signal is 128+n and never 0.
 * Agents that were told to stop often say 0; then the signal that we were given counts.
 */
export function exitStatus(end: ChildEnd, told: NodeJS.Signals | undefined): number {
  if (end.signal !== null) return signalStatus(end.signal);
  if (end.code === null) return signalStatus("SIGKILL");
  return end.code === 0 && told !== undefined ? signalStatus(told) : end.code;
}

const signalStatus = (signal: NodeJS.Signals) => 128 + (constants.signals[signal] ?? constants.signals.SIGKILL);
