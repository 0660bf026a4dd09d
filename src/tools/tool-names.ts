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
  "fetch",
  "web_search",
  "todo",
  "ask_user",
  "report_intent",
  "store_memory",
  "signalbox_docs",
  "skill",
] as const;
