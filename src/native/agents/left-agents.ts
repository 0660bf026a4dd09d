import { answerText } from "../../contract/message.ts";
import type { SessionRecord } from "../../contract/session-record.ts";
import type { QueuedPrompt } from "../engine/prompt-queue.ts";
import { readAgentLogs } from "../log/session-summary.ts";
import { sessionsPlace } from "../log/log-folder.ts";
import type { SessionLog } from "../log/read-log.ts";
import { replay } from "../log/replay.ts";
import { boundText } from "../tools/answer.ts";
import { agentMessage, resultMessage, toldAgent } from "./background-agents.ts";

interface LeftPlace {
  readonly home: string;
  readonly sessionId: string;
  readonly records: readonly SessionRecord[];
  readonly outputFolder: string;
}

/**
 * What the model of a resumed session must be told about sub-agents whose results never reached it. They are not
 * started again.
 */
export function leftAgents({ home, sessionId, records, outputFolder }: LeftPlace): readonly QueuedPrompt[] {
  const told = new Set(
    records.flatMap((record) => (record.type === "message" ? (toldAgent(record.promptId) ?? []) : [])),
  );
  const ended = new Set(
    records.flatMap((record) =>
      record.type === "call-end" && record.agent === undefined ? [record.result.callId] : [],
    ),
  );
  return readAgentLogs(sessionsPlace(home), sessionId).flatMap(({ id, log }) => {
    const { subAgent } = log.header ?? {};
    if (subAgent === undefined || subAgent.startedBy !== undefined || told.has(id)) return [];
    if (subAgent.mode === "sync" && ended.has(subAgent.callId)) return [];
    return [leftMessage(log, { id, description: subAgent.description, session: sessionId, outputFolder })];
  });
}

interface LeftAgent {
  readonly id: string;
  readonly description: string;
  readonly session: string;
  readonly outputFolder: string;
}

function leftMessage(log: SessionLog, { id, description, session, outputFolder }: LeftAgent): QueuedPrompt {
  const { history, rested } = replay(log.records.map(({ record }) => record));
  const last = history.findLast((message) => message.role === "assistant");
  const text = last?.role === "assistant" ? answerText(last).trim() : "";
  if (rested === "answered" && text !== "")
    return resultMessage({ id, description }, { text: boundText(text, outputFolder), failed: false });
  return agentMessage(
    id,
    `[The sub-agent ${id} (${description}) was interrupted when the program stopped, and it does not run any more. What it changed in the workspace remains, and its result is lost. Its log: signalbox sessions show ${session}/${id}. Check what it did before you start it again.]`,
  );
}
