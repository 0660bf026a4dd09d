import { relative } from "node:path";

/** A file of the repository that the agent does not get, and why. */
export interface LeftOut {
  readonly path: string;
  readonly because: string;
}

const MAX_NAMES = 5;

/** Paths relative to the workspace: the first few by name, the rest as a count. */
export function namePaths(paths: readonly string[], workspace: string): string {
  const more = paths.length > MAX_NAMES ? ` and ${paths.length - MAX_NAMES} more` : "";
  return `${paths
    .slice(0, MAX_NAMES)
    .map((path) => relative(workspace, path))
    .join(", ")}${more}`;
}

/** One line that lists the instruction files that the agent does not get; undefined when it gets all. */
export function leftOutLine(title: string, files: readonly LeftOut[], workspace: string): string | undefined {
  if (files.length === 0) return undefined;
  const reasons = [...new Set(files.map(({ because }) => because))].map(
    (because) =>
      `${namePaths(
        files.filter((file) => file.because === because).map(({ path }) => path),
        workspace,
      )} (${because})`,
  );
  return `left out of the instructions for ${title}: ${reasons.slice(0, MAX_NAMES).join("; ")}; copy the text you need into AGENTS.md or the prompt`;
}
