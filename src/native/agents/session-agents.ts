import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SubAgentDefinition } from "../../contract/knowledge.ts";
import type { Policy } from "../../contract/policy.ts";
import type { SessionHeader } from "../../contract/session-record.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import type { Gate } from "../engine/gates.ts";
import type { PromptPart } from "../knowledge/system-prompt.ts";
import { agentsPath, filesPath, sessionsPlace } from "../log/log-folder.ts";
import { createSession, type Session } from "../log/session-log.ts";
import { lastAgentNumber } from "../log/session-summary.ts";
import type { NativeSettings } from "../settings/session-settings.ts";
import type { AgentOrder, RunAgent } from "./background-agents.ts";
import { isWriter } from "./definition-tools.ts";
import { type AgentTree, type Delegation, openDelegation } from "./delegation.ts";
import type { Worktrees } from "./worktrees.ts";

interface SessionAgents {
  /** For the conversation. */
  readonly parts: { readonly delegation: Delegation; readonly background: Delegation["background"] };
  /** Must be called before the first sub-agent is started. */
  readonly attach: (runner: (tree: AgentTree) => RunAgent) => void;
}

interface SessionPlace {
  readonly agents: readonly SubAgentDefinition[];
  readonly home: string;
  readonly session: Pick<Session, "id" | "before">;
  readonly isIsolated?: AgentTree["isIsolated"];
}

/** The sub-agents of a session. */
export async function sessionAgents({ agents, home, session, isIsolated }: SessionPlace): Promise<SessionAgents> {
  const { id: sessionId, before: records } = session;
  let runner: RunAgent | undefined;
  const tree: AgentTree = {
    agents,
    isIsolated,
    nextNumber: agentNumbers({ home, sessionId }),
    async run(order, watch) {
      return (await runner?.(order, watch)) ?? { text: "the session is not ready", failed: true };
    },
  };
  const hadAgents = records.length > 0 && existsSync(agentsPath(sessionsPlace(home), sessionId));
  const outputFolder = filesPath(sessionsPlace(home), sessionId);
  const left = hadAgents
    ? (await import("./left-agents.ts")).leftAgents({ home, sessionId, records, outputFolder })
    : [];
  const delegation = openDelegation(tree, { id: undefined, depth: 0, left });
  return { parts: { delegation, background: delegation.background }, attach: (run) => (runner = run(tree)) };
}

interface LogPlace {
  readonly home: string;
  readonly sessionId: string;
}

/** The log of one sub-agent, beside that of its session. */
export function openAgentLog(
  { id, definition, description, mode, callId, startedBy }: AgentOrder,
  { home, sessionId }: LogPlace,
  header: Pick<SessionHeader, "cwd" | "model" | "baseUrl">,
): Session {
  const folder = agentsPath(sessionsPlace(home), sessionId);
  makeFolder(folder);
  const subAgent = {
    session: sessionId,
    ...(startedBy === undefined ? {} : { startedBy }),
    callId,
    definition: definition.name,
    description,
    mode,
  };
  return createSession({ id, ...header, subAgent }, { folder, now: Date.now });
}

/** Counts on from the sub-agents that the session has had. */
function agentNumbers({ home, sessionId }: LogPlace): () => number {
  let last: number | undefined;
  return () => (last = (last ?? lastAgentNumber(sessionsPlace(home), sessionId)) + 1);
}

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
    (await import("../../receipts/workspace/workspace-copy.ts")).removeLeftCopies(home);
}
