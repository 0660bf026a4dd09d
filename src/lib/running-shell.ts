/** How a shell parses a script: like bash, like POSIX sh, or unknown. */
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

/** How the shell with this name parses a script. An unknown shell may parse it in any way. */
export const runningShell = (name: string): ShellDialect =>
  Object.hasOwn(SHELLS, name) ? (SHELLS[name] ?? "any") : "any";
