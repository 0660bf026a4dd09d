import type { Dialect } from "../../contract/dialect.ts";
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
  error: "StopFailure",
} as const;

/** Claude Code's name for the end of a call that failed, a command with another exit code than 0 among them. */
export const AFTER_FAILURE = "PostToolUseFailure";

/** Modes in which Claude Code refuses more than its rules say. It changes them during a session. */
const MODES: Readonly<Record<string, "plan" | "dont-ask">> = { plan: "plan", dontAsk: "dont-ask" };

export const claudeDialect: Dialect = {
  name: "claude",
  events: EVENTS,
  asks: true,
  denialExit: 0,
  read(event, payload) {
    const read = readFields(event, payload, SNAKE);
    if (read.type === "tool-after" && payload["hook_event_name"] === AFTER_FAILURE) return { ...read, failed: true };
    if (read.type !== "tool-before") return read;
    const mode = MODES[String(payload["permission_mode"])];
    const { tool_use_id: id } = payload;
    return { ...read, ...(mode === undefined ? {} : { mode }), ...(typeof id === "string" ? { id } : {}) };
  },
  write: (event, answer) => nestedAnswer(event, answer, answer.afterFailure === true ? AFTER_FAILURE : EVENTS[event]),
};
