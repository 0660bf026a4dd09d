import { existsSync } from "node:fs";
import type { SubAgentDefinition } from "../../../contract/sub-agent-definition.ts";
import { agentsPath, filesPath, sessionsPlace } from "../../../sessions/folder.ts";
import type { EngineParts } from "../conversation.ts";
import type { Session } from "../../../sessions/session.ts";
import { agentNumbers } from "./agent-log.ts";
import type { AgentPlace } from "./agent-place.ts";
import { type AgentTree, openDelegation } from "./delegation.ts";

interface SessionAgents {
  /** For the conversation. */
  readonly parts: Required<Pick<EngineParts, "delegation" | "background">>;
  /** Must be called before the first sub-agent is started. */
  readonly attach: (place: AgentPlace) => void;
}

interface SessionPlace {
  readonly agents: readonly SubAgentDefinition[];
  readonly home: string;
  readonly session: Pick<Session, "id" | "before">;
}

/** The sub-agents of a session. What runs them is loaded when one is started. */
export async function sessionAgents({ agents, home, session }: SessionPlace): Promise<SessionAgents> {
  const { id: sessionId, before: records } = session;
  let place: AgentPlace | undefined;
  const tree: AgentTree = {
    agents,
    nextNumber: agentNumbers({ home, sessionId }),
    async run(order, watch) {
      if (place === undefined) return { text: "the session is not ready", failed: true };
      const { agentRunner } = await import("./run-agent.ts");
      return await agentRunner(place, tree)(order, watch);
    },
  };
  const hadAgents = records.length > 0 && existsSync(agentsPath(sessionsPlace(home), sessionId));
  const outputFolder = filesPath(sessionsPlace(home), sessionId);
  const left = hadAgents
    ? (await import("./left-agents.ts")).leftAgents({ home, sessionId, records, outputFolder })
    : [];
  const delegation = openDelegation(tree, { id: undefined, depth: 0, left });
  return { parts: { delegation, background: delegation.background }, attach: (found) => (place = found) };
}
