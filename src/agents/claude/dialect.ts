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

export const claudeDialect: Dialect = {
  name: "claude",
  events: EVENTS,
  asks: true,
  denialExit: 0,
  read: (event, payload) => readFields(event, payload, SNAKE),
  write: (event, answer) => nestedAnswer(event, answer, EVENTS[event]),
};
