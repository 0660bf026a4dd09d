import type { RunningShell } from "../../contract/agent-call.ts";

/** A construct that bash and another shell read differently. */
export interface ShellDifference {
  /** The shells that differ from bash. */
  readonly in: "zsh" | "sh" | "both";
  /** The construct, for display. */
  readonly what: string;
}

/** True if a difference matters for the shell that will run. */
export function matters(difference: ShellDifference, shell: RunningShell): boolean {
  return shell !== "bash" && (shell === "any" || difference.in !== "zsh");
}

export const differenceText = ({ what }: ShellDifference, shell: RunningShell) =>
  `${shell === "sh" ? "sh" : "zsh or sh"} would read ${what} differently from bash, and it is not certain that bash runs this`;
