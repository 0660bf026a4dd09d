import { errorCode } from "../lib/error-code.ts";

/** Watches over work whose output may lose its reader. */
export interface ReaderGone {
  /** A tool call begins: the work is not stopped before it has ended. */
  begun(call: string): void;
  ended(call: string): void;
  /** Everything that began has ended, as far as anyone will hear of it. */
  allEnded(): void;
}

interface Output {
  on(event: "error", listener: (error: Error) => void): unknown;
}

/**
 * Stops work whose output cannot be written any more (`| head -1`, a full disk), once, but never in the middle of a tool
 * call. The output is watched until the process ends: what it says of itself later is no fault.
 */
export function watchReader(stdout: Output, stop: (because: string, full: boolean) => void): ReaderGone {
  const calls = new Set<string>();
  let lost: string | undefined;
  let full = false;
  let stopped = false;
  const look = () => {
    if (lost === undefined || stopped || calls.size > 0) return;
    stopped = true;
    stop(lost, full);
  };
  stdout.on("error", (error) => {
    const code = errorCode(error);
    full ||= code !== "EPIPE";
    lost ??=
      code === "EPIPE" ? "the reader of the output went away" : `cannot write the output (${code ?? error.message})`;
    look();
  });
  return {
    begun: (call) => void calls.add(call),
    ended(call) {
      calls.delete(call);
      look();
    },
    allEnded() {
      calls.clear();
      look();
    },
  };
}
