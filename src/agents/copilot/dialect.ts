import type { Dialect, Payload } from "../../contract/dialect.ts";
import { CAMEL, readFields } from "../dialect/fields.ts";
import { flatAnswer } from "../dialect/flat-answer.ts";

/** Copilot reads flat answers. In Claude Code's shape, a denial would let the tool run. */
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
  askDropsInput: true,
  denialExit: 0,
  read(event, payload) {
    const read = readFields(event, withPatch(payload), CAMEL);
    // Copilot reports the stop of a sub-agent as agentStop too; only its agentId shows the difference.
    return read.type === "agent-stop" && read.subAgent !== undefined ? { ...read, type: "subagent-stop" } : read;
  },
  write: flatAnswer,
};

/** Models that write patches as free text get an `apply_patch` without fields; Copilot then reports only the text. */
function withPatch(payload: Payload): Payload {
  const { toolName, toolArgs } = payload;
  const bare = toolName === "apply_patch" && typeof toolArgs === "string" && !toolArgs.trimStart().startsWith("{");
  return bare ? { ...payload, toolArgs: { patch: toolArgs } } : payload;
}
