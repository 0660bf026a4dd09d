/** Every tool that a session can have; what nobody can answer or provide is left out of some. */
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
] as const;
