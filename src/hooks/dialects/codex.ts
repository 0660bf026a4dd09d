import type { Dialect } from "./dialect.ts";
import { readFields, SNAKE } from "./fields.ts";
import { nestedAnswer } from "./nested-answer.ts";

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

/** Codex reads Claude Code's shape, and lets the tool run when it finds a key that it does not know. */
export const codex: Dialect = {
  name: "codex",
  events: EVENTS,
  asks: false,
  denialExit: 0,
  read: (event, payload) => readFields(event, payload, SNAKE),
  write: (event, answer) => (event === "error" ? {} : nestedAnswer(event, answer, EVENTS[event])),
};
