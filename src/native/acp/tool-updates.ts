import type { ContentBlock, SessionUpdate, ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import type { ToolDeed } from "../../contract/engine-event.ts";
import type { Image, ToolResult } from "../../contract/message.ts";
import { callLine } from "../terminal/event-lines.ts";

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
export function toolCall(call: Called, agent?: string): SessionUpdate {
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
export const toolProgress = (callId: string, text: string, agent?: string): SessionUpdate => ({
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
export function toolEnd({ result, deeds, agent }: EndedCall): SessionUpdate {
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

export const imageBlock = ({ mediaType, base64 }: Image): ContentBlock => ({
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

/** Editors render Markdown, so this returns a code block whose fence nothing in the text can close. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
