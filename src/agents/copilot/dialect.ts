import type { Dialect, Payload } from "../../contract/dialect.ts";
import { CAMEL, readFields } from "../dialect/fields.ts";
import { flatAnswer } from "../dialect/flat-answer.ts";

/** Copilot reads flat answers; Claude Code's shape lets the tool run there. */
export const copilotDialect: Dialect = {
  name: "copilot",
  events: {
    "session-start": "sessionStart",
    "session-end": "sessionEnd",
    "prompt-submitted": "userPromptSubmitted",
    "tool-before": "preToolUse",
    "tool-after": "postToolUse",
    "agent-stop": "agentStop",
    "subagent-stop": "subagentStop",
    "compact-before": "preCompact",
    error: "errorOccurred",
  },
  asks: true,
  denialExit: 0,
  read(event, payload) {
    const read = readFields(event, withPatch(payload), CAMEL);
    // Copilot tells the stop of a sub-agent as agentStop too; only its agentId shows it.
    return read.type === "agent-stop" && read.subAgent !== undefined ? { ...read, type: "subagent-stop" } : read;
  },
  write: flatAnswer,
};

/** To models that write patches as free text Copilot offers `apply_patch` without fields, and tells the text alone. */
function withPatch(payload: Payload): Payload {
  const { toolName, toolArgs } = payload;
  const bare = toolName === "apply_patch" && typeof toolArgs === "string" && !toolArgs.trimStart().startsWith("{");
  return bare ? { ...payload, toolArgs: { patch: toolArgs } } : payload;
}
