import { isRecord } from "../../lib/is-record.ts";
import { parseJson } from "../../lib/parse-json.ts";

/** Claude Code's names for Copilot's tools, which is what hooks compare with. */
const EXPECTED_NAMES: Readonly<Record<string, string>> = {
  bash: "Bash",
  shell: "Bash",
  view: "Read",
  edit: "Edit",
  str_replace: "Edit",
  create: "Write",
  write: "Write",
  grep: "Grep",
  glob: "Glob",
  task: "Task",
  web_fetch: "WebFetch",
  web_search: "WebSearch",
  skill: "Skill",
};

/**
 * The input of a hook: the agent's own bytes. A call that only has Copilot's field names also gets Claude Code's, because
 * repositories write their hooks for those.
 */
export function hookStdin(text: string): string {
  if (!text.includes('"toolName"')) return text;
  const payload = parse(text);
  if (!isRecord(payload) || "tool_name" in payload || "tool_input" in payload) return text;
  const { toolName, toolArgs, toolResult, sessionId } = payload;
  if (typeof toolName !== "string") return text;
  const input = typeof toolArgs === "string" ? (parse(toolArgs) ?? toolArgs) : toolArgs;
  return JSON.stringify({
    ...payload,
    tool_name: EXPECTED_NAMES[toolName] ?? toolName,
    tool_input: input,
    ...(toolResult === undefined || "tool_response" in payload ? {} : { tool_response: toolResult }),
    ...(sessionId === undefined || "session_id" in payload ? {} : { session_id: sessionId }),
  });
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
