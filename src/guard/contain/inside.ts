import type { HeldPart, Recoverable } from "../../contract/agent-call.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Policy } from "../../contract/policy.ts";
import { isBelow, realPath } from "../../lib/path/real-path.ts";
import { isBuildOutput } from "./build-output.ts";

/** The sandbox that a command would run in, as far as the judge needs it. */
export interface Inside {
  readonly held: readonly HeldPart[];
  /** The weaker form: of secrets it holds the home, and of protected files nothing. */
  readonly isPartly: boolean;
  readonly tainted: boolean;
  /** The workspace and the home folder, as written and as they really lead. */
  readonly roots: readonly string[];
  readonly homes: readonly string[];
  /** A person wrote rules that restrict commands. */
  readonly restricted: boolean;
  readonly passVariables: readonly string[];
  /** True when what is at this path could be neither restored nor made again. */
  readonly isLost: (path: string) => boolean;
  /** True when git, by overwriting or removing files that it does not ignore, could lose what nothing restores. */
  readonly couldGitLose: () => boolean;
  readonly isOutput: (path: string) => boolean;
  readonly recoverable: (path: string) => boolean | undefined;
  /** A rule takes a command out of the sandbox. */
  leaves: boolean;
}

/** The sandbox of a command, or undefined when it has none. */
export function insideOf(
  policy: Policy,
  machine: Machine & {
    contained?: readonly HeldPart[] | undefined;
    recoverable?: Recoverable | undefined;
    tainted?: boolean | undefined;
  },
): Inside | undefined {
  const { contained = [], recoverable, tainted = false } = machine;
  if (contained.length === 0) return undefined;
  const bothSpellings = (path: string) => [...new Set([path, realPath(path, "/", machine.readLink)])];
  const roots = bothSpellings(policy.workspaceRoot);
  const isOutput = (path: string) => roots.some((root) => isBuildOutput(path, root, machine));
  return {
    held: contained,
    isPartly: contained.includes("home"),
    tainted,
    roots,
    homes: bothSpellings(policy.home),
    restricted: policy.rules.some(({ source, verdict }) => source !== "preset" && verdict !== "allow"),
    passVariables: policy.passVariables ?? [],
    isLost: (path) =>
      roots.some((root) => isBelow(path, root)) &&
      (machine.kind === undefined || machine.kind(path) !== undefined) &&
      !isOutput(path) &&
      recoverable?.(path) !== true,
    couldGitLose: () => roots.some((root) => recoverable?.(root, "unignored") !== true),
    isOutput,
    recoverable: (path) => recoverable?.(path),
    leaves: false,
  };
}

/** True when the sandbox has all these parts; for any program the home is what counts of the secrets. */
export function holds({ held, isPartly }: Inside, parts: readonly HeldPart[]): boolean {
  return parts.every((part) => held.includes(part) || (part === "secrets" && isPartly));
}
