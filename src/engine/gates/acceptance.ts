import type { Gate } from "./gate.ts";

export interface CheckOutcome {
  /** Null when it was ended by a signal or could not be started. */
  readonly exitCode: number | null;
  /** The end of its output, within bounds. */
  readonly output: string;
  readonly timedOut: boolean;
}

export type RunCheck = (command: string, signal: AbortSignal) => Promise<CheckOutcome>;

/** Blocks until a command of the user's succeeds: "done" is what the command says, not what the model says. */
export function acceptanceGate(command: string, runCheck: RunCheck): Gate {
  return {
    name: "acceptance",
    async check({ signal }) {
      const { exitCode, output, timedOut } = await runCheck(command, signal);
      if (exitCode === 0 && !timedOut) return undefined;
      const how = timedOut
        ? "did not end in time"
        : exitCode === null
          ? "was ended"
          : `failed with exit code ${exitCode}`;
      return [
        `This is not finished: the acceptance check \`${command}\` ${how}.`,
        output.trim() === "" ? "It printed nothing." : `The end of its output:\n${output.trim()}`,
        "Find the cause, change what is needed, run the check yourself, and only then say that you are done.",
      ].join("\n");
    },
  };
}
