import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Policy } from "../../contract/policy.ts";
import type { Gate } from "../../engine/gates.ts";
import type { PromptPart } from "../../knowledge/system-prompt.ts";
import type { NativeSettings } from "./native-settings.ts";
import type { AgentTree } from "./sub-agents/delegation.ts";
import { isWriter } from "./sub-agents/definition-tools.ts";
import type { Worktrees } from "./worktrees.ts";

interface SessionWorktrees {
  readonly worktrees?: Worktrees;
  readonly isIsolated?: AgentTree["isIsolated"];
  readonly gates: readonly Gate[];
  /** Waits until no copy is left. */
  readonly rest: () => Promise<void>;
}

/** What a session needs so that its sub-agents work in copies of the workspace; nothing if they do not. */
export async function sessionWorktrees(
  { worktrees: most }: Pick<NativeSettings, "worktrees">,
  { workspaceRoot }: Policy,
): Promise<SessionWorktrees> {
  if (most === undefined) return { gates: [], rest: async () => {} };
  const worktrees = (await import("./worktrees.ts")).openWorktrees(workspaceRoot, most);
  return { worktrees, isIsolated: isWriter, gates: [worktrees.gate], rest: () => worktrees.rest() };
}

/** Tells the session's own agent how to use them, before the last words of its prompt. */
export function withWorktrees(
  parts: readonly PromptPart[],
  { worktrees: most }: Pick<NativeSettings, "worktrees">,
): readonly PromptPart[] {
  if (most === undefined) return parts;
  return [...parts.slice(0, -1), { name: "worktrees", text: words(most) }, ...parts.slice(-1)];
}

const words = (most: number) =>
  `Split the task: find parts that can be done independently, and start a general-purpose sub-agent for each, all in one answer so that they work at the same time, at most ${most} at once. Each works in a copy of the workspace, and its changes are merged into the workspace when it is done. Say in each prompt which files are its own, because two sub-agents that change the same lines make a conflict. Afterwards resolve what was not merged, and check the whole yourself. Do small tasks without sub-agents.`;

/** Removes the copies of sessions that were killed. */
export async function removeLeftWorktrees(home: string): Promise<void> {
  if (existsSync(join(home, "worktrees")))
    (await import("../../backplane/workspace/open-copy.ts")).removeLeftCopies(home);
}
