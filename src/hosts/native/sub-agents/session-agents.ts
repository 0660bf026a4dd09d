import { existsSync } from "node:fs";
import type { SubAgentDefinition } from "../../../contract/sub-agent-definition.ts";
import { agentsPath, filesPath, sessionsPlace } from "../../../sessions/folder.ts";
import type { Session } from "../../../sessions/session.ts";
import { agentNumbers } from "./agent-log.ts";
import type { RunAgent } from "./background-agents.ts";
import { type AgentTree, type Delegation, openDelegation } from "./delegation.ts";

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
