import type { Tool, ToolFilter } from "../../contract/tool.ts";
import { matchesSegment } from "../../lib/path/glob.ts";

/** Every tool a session can have. Some sessions omit tools that nobody can answer or provide. */
export const TOOL_NAMES = [
  "read",
  "write",
  "edit",
  "bash",
  "read_bash",
  "stop_bash",
  "grep",
  "glob",
  "lsp",
  "fetch",
  "web_search",
  "todo",
  "ask_user",
  "report_intent",
  "store_memory",
  "signalbox_docs",
  "skill",
  "task",
  "task_complete",
] as const;

/** Tools that change nothing in the workspace. Any other is denied in plan mode. */
export const READING_TOOLS = new Set(
  "read grep glob fetch web_search todo ask_user report_intent signalbox_docs skill read_bash stop_bash lsp task read_task mcp_search".split(
    " ",
  ),
);

/** The tools that every filter allows; no filter can undo another's denial. */
export function filterTools(tools: readonly Tool[], filters: readonly ToolFilter[]): readonly Tool[] {
  return tools.filter(({ name }) =>
    filters.every(({ allow = [], deny = [], isToolEnabled = () => true }) => {
      const listed = (patterns: readonly string[]) => patterns.some((pattern) => matchesSegment(pattern, name));
      return !listed(deny) && (allow.length === 0 || listed(allow)) && isToolEnabled(name);
    }),
  );
}
