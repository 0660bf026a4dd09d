import { existsSync } from "node:fs";
import { answerText } from "../../contract/message.ts";
import type { SessionRecord } from "../../contract/session-record.ts";
import type { QueuedPrompt } from "../engine/run-session.ts";
import { lastAgentNumber, readAgentLogs } from "../log/list-sessions.ts";
import { agentsPath, sessionsPlace } from "../log/log-folder.ts";
import type { SessionLog } from "../log/read-log.ts";
import { replay } from "../log/replay.ts";
import type { Session } from "../log/session-log.ts";
import { boundText } from "../tools/answer.ts";
import {
  type AgentGround,
  agentMessage,
  type Delegation,
  openDelegation,
  resultMessage,
  toldAgent,
} from "./delegation.ts";
import { agentTree } from "./run-agent.ts";

/** What starts the sub-agents of the session's own agent. It begins with what is left of those of an earlier start. */
export function sessionDelegation(ground: AgentGround, session: Session): Delegation {
  const { home, privateFolder } = ground.workplace;
  const tree = agentTree(ground, agentNumbers(home, session.id));
  return openDelegation(tree, undefined, 0, leftAgents(session, home, privateFolder));
}

/** Counts on from the sub-agents that the session has had. */
function agentNumbers(home: string, sessionId: string): () => number {
  let last: number | undefined;
  return () => (last = (last ?? lastAgentNumber(sessionsPlace(home), sessionId)) + 1);
}

/**
 * What the model of a resumed session must be told about sub-agents whose results never reached it. They are not
 * started again.
 */
function leftAgents({ id: session, before }: Session, home: string, outputFolder: string): readonly QueuedPrompt[] {
  const sessions = sessionsPlace(home);
  if (before.length === 0 || !existsSync(agentsPath(sessions, session))) return [];
  const told = new Set(
    valuesIn(before, (record) => (record.type === "message" ? toldAgent(record.promptId) : undefined)),
  );
  const ended = new Set(
    valuesIn(before, (record) =>
      record.type === "call-end" && record.agent === undefined ? record.result.callId : undefined,
    ),
  );
  return readAgentLogs(sessions, session).flatMap(({ id, log }) => {
    const { subAgent } = log.header ?? {};
    if (subAgent === undefined || subAgent.startedBy !== undefined || told.has(id)) return [];
    if (subAgent.mode === "sync" && ended.has(subAgent.callId)) return [];
    const result = resultIn(log, outputFolder);
    if (result !== undefined) return [resultMessage(id, subAgent.description, { text: result, failed: false })];
    return [agentMessage(id, interruptedText(id, subAgent.description, session))];
  });
}

const valuesIn = (records: readonly SessionRecord[], read: (record: SessionRecord) => string | undefined) =>
  records.flatMap((record) => read(record) ?? []);

/** What a sub-agent answered, if it came to its end. */
function resultIn(log: SessionLog, outputFolder: string): string | undefined {
  const { history, rested } = replay(log.records.map(({ record }) => record));
  const last = history.findLast((message) => message.role === "assistant");
  const text = last?.role === "assistant" ? answerText(last).trim() : "";
  return rested === "answered" && text !== "" ? boundText(text, outputFolder) : undefined;
}

const interruptedText = (id: string, description: string, session: string) =>
  `[The sub-agent ${id} (${description}) was interrupted when the program stopped, and it does not run any more. What it changed in the workspace remains, and its result is lost. Its log: signalbox sessions show ${session}/${id}. Check what it did before you start it again.]`;
