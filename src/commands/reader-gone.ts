import { errorCode } from "../lib/text/user-error.ts";

/** Watches work whose output may lose its reader. */
export interface ReaderGone {
  /** A tool call begins. The work is not stopped until it has ended. */
  begun(call: string): void;
  ended(call: string): void;
  /** Everything that began has ended, as far as we will be told. */
  allEnded(): void;
}

interface Output {
  on(event: "error", listener: (error: Error) => void): unknown;
}

/**
 * Stops work whose output can no longer be written (`| head -1`, a full disk), once, but never in the middle of a tool
 * call. Keeps watching the output until the process exits, so that later write errors are ignored.
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
