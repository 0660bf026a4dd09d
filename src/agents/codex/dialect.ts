import type { Dialect, Payload } from "../../contract/dialect.ts";
import type { CallTrace } from "../../contract/hook-event.ts";
import { isRecord } from "../../lib/is-record.ts";
import { readFields, SNAKE } from "../dialect/fields.ts";
import { nestedAnswer } from "../dialect/hook-event.ts";

const EVENTS = {
  "session-start": "SessionStart",
  "session-end": "SessionEnd",
  "prompt-submitted": "UserPromptSubmit",
  "tool-before": "PreToolUse",
  "tool-after": "PostToolUse",
  "agent-stop": "Stop",
  "subagent-stop": "SubagentStop",
  "compact-before": "PreCompact",
} as const;

/** Codex reads Claude Code's shape, but lets the tool run when it finds an unknown key. */
export const codexDialect: Dialect = {
  name: "codex",
  events: EVENTS,
  asks: false,
  denialExit: 0,
  read(event, payload) {
    const read = readFields(event, payload, SNAKE);
    if (read.type === "tool-after") return { ...read, ...named(read.tool, read.input) };
    return read.type === "tool-before" ? { ...read, ...named(read.tool, read.input), ...traced(payload) } : read;
  },
  write(event, answer) {
    if (event === "error") return {};
    // Codex takes changed arguments only with an `allow`, and still asks where it would have asked.
    const changed = answer.input !== undefined && answer.verdict === undefined;
    return nestedAnswer(event, changed ? { ...answer, verdict: "allow" } : answer, EVENTS[event]);
  },
};

/** Codex only reports the command. The shell that the model chose for it is in the transcript. */
function traced({ transcript_path: file, tool_use_id: call }: Payload): { readonly trace?: CallTrace } {
  return typeof file === "string" && typeof call === "string" ? { trace: { file, call } } : {};
}

/** Codex reports a patch as a command, and prefixes the tools of sub-agents with their group. */
function named(tool: string, input: unknown): { readonly tool: string; readonly input: unknown } {
  if (tool === "apply_patch" && isRecord(input) && typeof input["command"] === "string")
    return { tool, input: { patch: input["command"] } };
  return { tool: tool.replace(/^multi_agent_v\d+_{0,2}/, ""), input };
}
