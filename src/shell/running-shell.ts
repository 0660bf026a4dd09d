/** The shell that runs a command: bash, one that only reads POSIX sh (dash, bash called `sh`), or any, zsh included. */
export type RunningShell = "bash" | "sh" | "any";

/** Something that bash reads in one way and another shell in another. */
export interface ShellDifference {
  /** The shells that read it differently from bash. */
  readonly in: "zsh" | "sh" | "both";
  /** The construct, for a person. */
  readonly what: string;
}

const SHELLS: Readonly<Record<string, RunningShell>> = {
  bash: "bash",
  rbash: "bash",
  sh: "sh",
  dash: "sh",
  ash: "sh",
  "busybox-sh": "sh",
  posh: "sh",
};

/** How the shell of this name reads a script. One that is not known may read it in any way. */
export const runningShell = (name: string): RunningShell =>
  Object.hasOwn(SHELLS, name) ? (SHELLS[name] ?? "any") : "any";

/** True when a difference matters for the shell that will run. */
export function matters(difference: ShellDifference, shell: RunningShell): boolean {
  return shell !== "bash" && (shell === "any" || difference.in !== "zsh");
}

export const differenceText = ({ what }: ShellDifference, shell: RunningShell) =>
  `${shell === "sh" ? "sh" : "zsh or sh"} would read ${what} differently from bash, and it is not certain that bash runs this`;
