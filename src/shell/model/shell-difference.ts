import type { RunningShell } from "../../contract/agent-call.ts";

/** Something that bash reads in one way and another shell in another. */
export interface ShellDifference {
  /** The shells that read it differently from bash. */
  readonly in: "zsh" | "sh" | "both";
  /** The construct, for a person. */
  readonly what: string;
}

/** True when a difference matters for the shell that will run. */
export function matters(difference: ShellDifference, shell: RunningShell): boolean {
  return shell !== "bash" && (shell === "any" || difference.in !== "zsh");
}

export const differenceText = ({ what }: ShellDifference, shell: RunningShell) =>
  `${shell === "sh" ? "sh" : "zsh or sh"} would read ${what} differently from bash, and it is not certain that bash runs this`;
