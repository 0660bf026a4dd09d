import { resolve } from "node:path";
import type { ContentBlock, PlanEntry, SessionUpdate, ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import * as z from "zod";
import type { SessionEvent, ToolDeed, ToolEnd, UsageEvent } from "../../contract/engine-event.ts";
import type { CallPart, Image, Message, ToolResult, UserMessage } from "../../contract/message.ts";
import { fenced } from "../../lib/text/printable.ts";
import type { Model } from "../../models/model.ts";
import type { NativeSession } from "../session.ts";
import { callLine, describeEvent } from "../terminal/event-lines.ts";

interface ViewedSession extends Pick<NativeSession, "conversation" | "workItems"> {
  readonly models: { readonly model: Pick<Model, "limits"> };
}

/** The updates that an editor gets for an event; none for what is of no interest to the user. */
export function sessionUpdates(event: SessionEvent, session: ViewedSession): readonly SessionUpdate[] {
  switch (event.type) {
    case "text-delta":
      return [message(event.text)];
    case "thinking-delta":
      return [thought(event.text)];
    case "tool-end":
      return [toolEnd(event), ...plansIn(event, session), ...summaryIn(event)];
    case "tool-start":
    case "tool-progress":
      return callUpdates(event);
    case "child":
      return callUpdates(event.event, event.agent);
    case "usage":
      return usageIn(event, session);
    case "compaction-end":
      return [told(describeEvent(event)), usageUpdate(event.tokensAfter, session)].flat();
    case "gate-passed":
    case "gate-blocked":
      return [message(`\n\n> ${describeEvent(event) ?? ""}\n\n`)];
    default:
      return TOLD.has(event.type) ? told(describeEvent(event)) : [];
  }
}

/** Events that are told in words, as on a terminal. */
const TOLD: ReadonlySet<SessionEvent["type"]> = new Set([
  "response",
  "request-failed",
  "history-replaced",
  "compaction-start",
  "compaction-failed",
  "compaction-stopped",
  "prompt-refused",
  "hook-failed",
  "loop-noticed",
]);

/** The summary of a call that ends the run is the answer. */
const summaryIn = ({ result: { ends } }: ToolEnd) => (ends === undefined ? [] : [message(`\n\n${ends.summary}\n\n`)]);

/** Words of the agent. */
export const message = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});

const thought = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_thought_chunk",
  content: { type: "text", text },
});

const told = (line: string | undefined) => (line === undefined ? [] : [thought(`\n${line}\n`)]);

/** The calls of an agent. What a sub-agent says is not shown: its answer is the result of the call that started it. */
function callUpdates(event: SessionEvent, agent?: string): readonly SessionUpdate[] {
  switch (event.type) {
    case "tool-start":
      return [toolCall(event.call, agent)];
    case "tool-progress":
      return [toolProgress(event.callId, event.recent ?? event.text, agent)];
    case "tool-end":
      return [toolEnd({ ...event, ...(agent === undefined ? {} : { agent }) })];
    case "child":
      return callUpdates(event.event, event.agent);
    default:
      return [];
  }
}

/** A summary is asked for by another part, whose request says nothing about this conversation. */
const usageIn = ({ usage, agent }: UsageEvent, session: ViewedSession) =>
  agent !== undefined || usage === undefined ? [] : [usageUpdate(usage.input + usage.output, session)];

const plansIn = ({ result: { name, failed } }: ToolEnd, session: ViewedSession) =>
  name === "todo" && !failed ? [planUpdate(session)] : [];

/** How full the window is, and what the session has cost. */
export function usageUpdate(used: number, { models, conversation: { cost } }: ViewedSession): SessionUpdate {
  return {
    sessionUpdate: "usage_update",
    used,
    size: models.model.limits.prompt,
    ...(cost === undefined ? {} : { cost: { amount: cost, currency: "USD" } }),
  };
}

/** The work items as a plan. It replaces the one before. */
export const planUpdate = ({ workItems }: Pick<NativeSession, "workItems">): SessionUpdate => ({
  sessionUpdate: "plan",
  entries: workItems().flatMap(({ title, state }): PlanEntry[] => {
    if (state === "dropped") return [];
    const status = state === "done" ? "completed" : state === "in_progress" ? state : "pending";
    return [{ content: state === "blocked" ? `${title} (blocked)` : title, priority: "medium", status }];
  }),
});

/** Replays an earlier conversation from the start. Paths in it are relative to `workspace`. */
export function replayHistory(history: readonly Message[], workspace: string): readonly SessionUpdate[] {
  const calls = new Map<string, CallPart>();
  return history.flatMap((message): readonly SessionUpdate[] => {
    if (message.role === "user") return userUpdates(message);
    if (message.role === "tool") {
      return message.results.map((result) => {
        const call = calls.get(result.callId);
        return toolEnd({ result, deeds: call === undefined || result.failed ? [] : changes(call, workspace) });
      });
    }
    return message.parts.map((part): SessionUpdate => {
      if (part.type === "call") {
        calls.set(part.id, part);
        return toolCall(part);
      }
      const sessionUpdate = part.type === "text" ? "agent_message_chunk" : "agent_thought_chunk";
      return { sessionUpdate, content: { type: "text", text: part.text } };
    });
  });
}

/** What gates, hooks and the engine itself have said to the model is not shown as the user's. */
function userUpdates({ text, images = [], source }: UserMessage): readonly SessionUpdate[] {
  const sessionUpdate = source === "person" ? "user_message_chunk" : "agent_thought_chunk";
  const content = [...(text === "" ? [] : [{ type: "text", text } as const]), ...images.map(imageBlock)];
  return content.map((block) => ({ sessionUpdate, content: block }));
}

const Written = z.object({ path: z.string(), content: z.string() });

const Edited = z.object({
  path: z.string(),
  edits: z.array(z.object({ old_string: z.string(), new_string: z.string() })),
});

/** What a call changed, from its arguments: the log has no other copy of the texts. */
function changes({ name, input }: CallPart, workspace: string): readonly ToolDeed[] {
  if (name === "write") {
    const { data } = Written.safeParse(input);
    return data === undefined ? [] : [change(resolve(workspace, data.path), null, data.content)];
  }
  if (name !== "edit") return [];
  const { data } = Edited.safeParse(input);
  if (data === undefined) return [];
  const path = resolve(workspace, data.path);
  return data.edits.map(({ old_string: before, new_string: after }) => change(path, before, after));
}

const change = (path: string, before: string | null, after: string): ToolDeed => ({
  kind: "write",
  path,
  before,
  after,
});

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

/** A call has begun. One of a sub-agent begins with the sub-agent's name. */
function toolCall(call: Called, agent?: string): SessionUpdate {
  const described = describeCall(call);
  const title = agent === undefined ? described.title : `${agent}: ${described.title}`;
  return {
    sessionUpdate: "tool_call",
    ...described,
    toolCallId: callIdOf(call.id, agent),
    title,
    status: "in_progress",
  };
}

/** Two agents may use the same id. */
const callIdOf = (id: string, agent: string | undefined) => (agent === undefined ? id : `${agent}/${id}`);

/** What a call has printed so far. */
const toolProgress = (callId: string, text: string, agent?: string): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId: callIdOf(callId, agent),
  content: [{ type: "content", content: { type: "text", text: fenced(text) } }],
});

interface EndedCall {
  readonly result: ToolResult;
  readonly deeds: readonly ToolDeed[];
  readonly agent?: string;
}

/** A call has ended. */
function toolEnd({ result, deeds, agent }: EndedCall): SessionUpdate {
  const diffs = deeds.flatMap((deed): ToolCallContent[] =>
    deed.kind === "write" ? [{ type: "diff", path: deed.path, oldText: deed.before, newText: deed.after }] : [],
  );
  const paths = deeds.flatMap((deed) => (deed.kind === "read" || deed.kind === "write" ? [{ path: deed.path }] : []));
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: callIdOf(result.callId, agent),
    status: result.failed ? "failed" : "completed",
    content: [...diffs, ...resultContent(result)],
    ...(paths.length === 0 ? {} : { locations: paths }),
  };
}

function resultContent({ name, text, images = [] }: ToolResult): readonly ToolCallContent[] {
  const shown = LITERAL.has(kindOf(name)) ? fenced(text) : text;
  const blocks: ContentBlock[] = [{ type: "text", text: shown }, ...images.map(imageBlock)];
  return blocks.map((content) => ({ type: "content", content }));
}

const imageBlock = ({ mediaType, base64 }: Image): ContentBlock => ({
  type: "image",
  mimeType: mediaType,
  data: base64,
});

/** Results that are no Markdown. */
const LITERAL: ReadonlySet<ToolKind> = new Set(["read", "search", "execute"]);

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: "read",
  write: "edit",
  edit: "edit",
  bash: "execute",
  read_bash: "execute",
  stop_bash: "execute",
  grep: "search",
  glob: "search",
  lsp: "search",
  fetch: "fetch",
  web_search: "fetch",
  report_intent: "think",
  todo: "think",
  task: "think",
};

const kindOf = (name: string): ToolKind => KINDS[name] ?? "other";
