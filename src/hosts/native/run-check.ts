import type { CheckOutcome, RunCheck } from "../../engine/gates/acceptance.ts";
import type { CommandDesk } from "../../tools/command/command-desk.ts";
import { showOutput } from "../../tools/command/show-output.ts";

const MAX_OUTPUT = 6_000;

interface CheckPlace {
  readonly desk: Pick<CommandDesk, "start">;
  readonly folder: string;
  readonly timeoutMs: number;
}

/** Runs the user's acceptance check where the agent works, in the same sandbox, and ends its whole tree. */
export function checkRunner({ desk, folder, timeoutMs }: CheckPlace): RunCheck {
  return async (command, signal): Promise<CheckOutcome> => {
    const running = await desk.start({ command, folder });
    let timedOut = false;
    const stop = () => void running.end();
    const timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, timeoutMs);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const { code } = await running.ended;
      const output = showOutput(running.output.take(), running.output.file).slice(-MAX_OUTPUT);
      return { exitCode: code, output, timedOut };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  };
}
