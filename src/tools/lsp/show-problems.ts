import type { CodeProblem } from "../../contract/language-servers.ts";

/** Problems as lines for a model, errors first. */
export function showProblems(problems: readonly CodeProblem[], most: number): readonly string[] {
  const sorted = ORDER.flatMap((wanted) => problems.filter(({ severity }) => severity === wanted));
  const shown = sorted.slice(0, most).map(({ severity, line, message }) => `line ${line + 1}: ${severity}: ${message}`);
  return [...shown, ...(sorted.length > most ? [`[${sorted.length - most} more]`] : [])];
}

const ORDER = ["error", "warning", "information", "hint"] as const;
