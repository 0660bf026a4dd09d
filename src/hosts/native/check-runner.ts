import type { CheckOutcome, RunCheck } from "../../engine/gates.ts";
import type { CommandRunner } from "../../tools/command/command-runner.ts";
import { showOutput } from "../../tools/command/show-output.ts";

const MAX_OUTPUT = 6_000;

interface CheckPlace {
  readonly runner: Pick<CommandRunner, "start">;
  readonly folder: string;
  readonly timeoutMs: number;
  /** Called before a command starts, with what will run. */
  readonly prepare?: (command: string) => Promise<void>;
}

/** Runs the user's acceptance check in the workspace, in the same sandbox, and ends all its processes. */
export function checkRunner({ runner, folder, timeoutMs, prepare }: CheckPlace): RunCheck {
  return async (command, signal): Promise<CheckOutcome> => {
    await prepare?.(command);
    const running = await runner.start({ command, folder });
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
