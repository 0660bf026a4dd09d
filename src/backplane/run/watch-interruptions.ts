import type { OpenRun } from "./open-run.ts";

const POLL_MS = 200;

/** Watches for the user's Ctrl-C and for `signalbox cancel` from another process. */
export function watchInterruptions({ stops, log }: OpenRun, signal: AbortSignal): Disposable {
  const interrupt = (because: string) => stops.stop({ stopped: "interrupted", because });
  const onAbort = () => interrupt("interrupted");
  const poll = setInterval(() => {
    const reason = log.cancelled();
    if (reason !== undefined) interrupt(reason === "" ? "cancelled" : `cancelled: ${reason}`);
  }, POLL_MS);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort);
  return {
    [Symbol.dispose]() {
      clearInterval(poll);
      signal.removeEventListener("abort", onAbort);
    },
  };
}
