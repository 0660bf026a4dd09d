/** How a shell reads a script: like bash, like POSIX sh, or in any way. */
type ShellDialect = "bash" | "sh" | "any";

const SHELLS: Readonly<Record<string, ShellDialect>> = {
  bash: "bash",
  rbash: "bash",
  sh: "sh",
  dash: "sh",
  ash: "sh",
  "busybox-sh": "sh",
  posh: "sh",
};

/** How the shell of this name reads a script. One that is not known may read it in any way. */
export const runningShell = (name: string): ShellDialect =>
  Object.hasOwn(SHELLS, name) ? (SHELLS[name] ?? "any") : "any";
