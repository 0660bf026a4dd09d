import { ENDING_SIGNALS } from "../../lib/ending-signals.ts";

/** Aborts when the user interrupts, or when the recipe's time is up. */
export function openInterruption(seconds: number | undefined): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const stop = () => controller.abort(new Error("interrupted"));
  const timeUp = () => controller.abort(new Error(`its ${seconds} s are used up`));
  for (const signal of ENDING_SIGNALS) process.on(signal, stop);
  const timer = seconds === undefined ? undefined : setTimeout(timeUp, seconds * 1000);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const signal of ENDING_SIGNALS) process.off(signal, stop);
    },
  };
}
