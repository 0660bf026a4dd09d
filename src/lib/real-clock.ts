import { setTimeout as sleep } from "node:timers/promises";

/** Real time and randomness. An interrupted pause throws the signal's reason. */
export const realClock = {
  now: () => performance.now(),
  random: () => Math.random(),
  async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    try {
      await sleep(milliseconds, undefined, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  },
};
