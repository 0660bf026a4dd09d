import type { SessionUpdate, ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import type { Message, ToolResult } from "../../../contract/message.ts";
import type { ToolDeed } from "../../../contract/tool-call.ts";
import type { SessionEvent } from "../../../contract/engine-event.ts";
import { callLine, describeEvent } from "../describe-event.ts";

/** The ACP update for an event; undefined for events that are of no interest to the user. */
export function updateOf(event: SessionEvent): SessionUpdate | undefined {
  switch (event.type) {
    case "text-delta":
      return { sessionUpdate: "agent_message_chunk", content: { type: "text", text: event.text } };
    case "thinking-delta":
      return { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: event.text } };
    case "tool-start":
      return toolCall(event.call, "in_progress");
    case "tool-progress":
      return {
        sessionUpdate: "tool_call_update",
        toolCallId: event.callId,
        content: [{ type: "content", content: { type: "text", text: event.text } }],
      };
    case "tool-end":
      return toolEnd(event.result, event.deeds);
    default:
      return TOLD.has(event.type) ? thought(describeEvent(event)) : undefined;
  }
}

/** Events that are told in words, as on a terminal. */
const TOLD: ReadonlySet<SessionEvent["type"]> = new Set([
  "response",
  "request-failed",
  "compaction-start",
  "compaction-end",
  "compaction-failed",
  "compaction-stopped",
  "gate-blocked",
  "gate-gave-up",
  "prompt-refused",
  "hook-failed",
]);

const thought = (line: string | undefined): SessionUpdate | undefined =>
  line === undefined
    ? undefined
    : { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: `\n${line}\n` } };

/** Replays an earlier conversation from the start. */
export function updatesOf(history: readonly Message[]): readonly SessionUpdate[] {
  return history.flatMap((message): SessionUpdate[] => {
    if (message.role === "tool") return message.results.map((result) => toolEnd(result, []));
    if (message.role === "user") {
      return [{ sessionUpdate: "user_message_chunk", content: { type: "text", text: message.text } }];
    }
    return message.parts.map((part): SessionUpdate => {
      if (part.type === "call") return toolCall(part, "in_progress");
      const sessionUpdate = part.type === "text" ? "agent_message_chunk" : "agent_thought_chunk";
      return { sessionUpdate, content: { type: "text", text: part.text } };
    });
  });
}

interface Called {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Users decide by the title, so it is cut only where nobody would read on. */
const MAX_TITLE = 4000;

/** Describes a call in ACP's format. */
export function describeCall({ id, name, input }: Called) {
  return { toolCallId: id, title: callLine({ name, input }, MAX_TITLE), kind: kindOf(name), rawInput: input };
}

const toolCall = (call: Called, status: "pending" | "in_progress"): SessionUpdate => ({
  sessionUpdate: "tool_call",
  ...describeCall(call),
  status,
});

function toolEnd({ callId, text, failed }: ToolResult, deeds: readonly ToolDeed[]): SessionUpdate {
  const content: ToolCallContent[] = [{ type: "content", content: { type: "text", text } }];
  const diffs = deeds.flatMap((deed): ToolCallContent[] =>
    deed.kind === "write" ? [{ type: "diff", path: deed.path, oldText: deed.before, newText: deed.after }] : [],
  );
  const paths = deeds.flatMap((deed) => (deed.kind === "read" || deed.kind === "write" ? [{ path: deed.path }] : []));
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: callId,
    status: failed ? "failed" : "completed",
    content: [...diffs, ...content],
    ...(paths.length === 0 ? {} : { locations: paths }),
  };
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: "read",
  write: "edit",
  edit: "edit",
  bash: "execute",
  read_bash: "execute",
  stop_bash: "execute",
  grep: "search",
  glob: "search",
  fetch: "fetch",
  web_search: "fetch",
  report_intent: "think",
};

const kindOf = (name: string): ToolKind => KINDS[name] ?? "other";
