import { constants } from "node:os";
import { ENDING_SIGNALS } from "../lib/process/at-exit.ts";

/** The first signal lets the trials clean up their agents and folders; launches forward it to their agents. */
export function abortOnSignal() {
  const controller = new AbortController();
  let code: number | undefined;
  const listeners = ENDING_SIGNALS.map((signal) => {
    const listen = () => {
      code = 128 + constants.signals[signal];
      controller.abort();
    };
    process.on(signal, listen);
    return () => process.off(signal, listen);
  });
  return {
    signal: controller.signal,
    code: () => code,
    [Symbol.dispose]: () => listeners.forEach((remove) => remove()),
  };
}
