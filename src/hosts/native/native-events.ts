import { type AgentEvent, newEvent } from "../../contract/agent-event.ts";
import type { Message } from "../../contract/message.ts";
import type { ToolDeed } from "../../contract/tool-call.ts";
import type { SessionEvent, ToolEnd } from "../../contract/engine-event.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { sessionCall } from "./sub-agents/session-call.ts";
import { compactionLine } from "./compaction-line.ts";
import { describeEvent } from "./describe-event.ts";

/** Converts engine events to run events. `denied` contains the ids of calls that a rule blocked. */
export function nativeEvents(denied: ReadonlySet<string>): (event: SessionEvent) => readonly AgentEvent[] {
  let turn = 0;
  return (whole) => {
    const { event, startedBy } = sessionCall(whole);
    // What a sub-agent says is for the agent that started it.
    if (startedBy !== null && SAID.has(event.type)) return [];
    if (event.type === "turn-start") turn = event.turn;
    return runEvents(event, { denied, startedBy, ext: { turn } });
  };
}

interface RunEventPlace {
  readonly denied: ReadonlySet<string>;
  readonly startedBy: string | null;
  readonly ext: { readonly turn: number };
}

function runEvents(event: SessionEvent, { denied, startedBy, ext }: RunEventPlace): readonly AgentEvent[] {
  switch (event.type) {
    case "message":
      return messageTexts(event.message).map((text) => newEvent({ type: "assistant_message", text, ext }));
    case "tool-start": {
      const { id, name, input } = event.call;
      const call = { tool_name: name, tool_use_id: id, parent_tool_use_id: startedBy, input: plain(input), ext };
      return [newEvent({ type: "tool_call", ...call })];
    }
    case "tool-end": {
      const { callId, name, text, failed } = event.result;
      const output = denied.has(callId) ? { denied: true, reason: text } : text;
      const result = { tool_name: name, tool_use_id: callId, output, is_error: failed };
      const summary = event.result.ends === undefined ? [] : [event.result.ends.summary];
      return [
        newEvent({ type: "tool_result", ...result }),
        ...deedsOf(event).flatMap(deedEvents),
        ...summary.map((said) => newEvent({ type: "assistant_message", text: said, ext })),
      ];
    }
    case "request-failed":
      return [newEvent({ type: event.retryInMs === null ? "error" : "warning", message: event.because })];
    case "response": {
      const message = describeEvent(event);
      return message === undefined ? [] : [newEvent({ type: "warning", message })];
    }
    case "gate-blocked":
      return [newEvent({ type: "warning", message: `not finished (${event.gate}): ${event.reason}` })];
    case "gate-gave-up":
      return [newEvent({ type: "warning", message: `${event.gate} gave up: ${event.reason}` })];
    case "hook-failed":
      return [newEvent({ type: "warning", message: `a ${event.hook} hook failed: ${event.because}` })];
    case "prompt-refused":
      return [newEvent({ type: "warning", message: `the prompt was refused: ${event.because}` })];
    default: {
      const message = event.type === "compaction-start" ? undefined : warningLine(event);
      return message === undefined ? [] : [newEvent({ type: "warning", message })];
    }
  }
}

const warningLine = (event: SessionEvent) =>
  event.type === "loop-noticed" ? describeEvent(event) : compactionLine(event);

const SAID: ReadonlySet<SessionEvent["type"]> = new Set(["turn-start", "message", "response"]);

/** What a sub-agent did was told with its own calls. */
const deedsOf = ({ result, deeds }: ToolEnd) => (result.name === "task" ? [] : deeds);

function messageTexts(message: Message): readonly string[] {
  if (message.role !== "assistant") return [];
  const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  return text.trim() === "" ? [] : [text];
}

function deedEvents(deed: ToolDeed): readonly AgentEvent[] {
  if (deed.kind === "write") {
    const summary = deed.before === null ? "created" : "changed";
    return [newEvent({ type: "file_changed", path: deed.path, summary })];
  }
  if (deed.kind !== "command") return [];
  const { command, exitCode } = deed;
  return [newEvent({ type: "command_executed", command, exit_code: exitCode, output_preview: null })];
}

/** Input that came as JSON stays JSON; a malformed call has none. */
const plain = (input: unknown) => parseJson(JSON.stringify(input ?? null));
