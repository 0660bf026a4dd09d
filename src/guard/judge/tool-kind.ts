/** What a tool does, independent of its name in an agent. */
export type ToolKind =
  | "shell"
  | "read"
  | "write"
  | "edit"
  | "glob"
  | "grep"
  | "fetch"
  | "search"
  | "task"
  | "plan"
  | "mcp"
  | "unknown";

const NAMES: Readonly<Record<Exclude<ToolKind, "mcp" | "unknown">, string>> = {
  shell:
    "Bash bash shell exec_command run_shell_command local_shell container.exec unified_exec execute terminal run_terminal_cmd run_in_terminal powershell write_bash Shell shell_command Monitor",
  read: "Read read read_file view ReadFile read_many_files NotebookRead open_file view_image list_dir ls LS list_directory get_file LSP lsp",
  write: "Write write write_file create create_file WriteFile save_file",
  edit: "Edit edit edit_file MultiEdit multi_edit str_replace str_replace_editor str_replace_based_edit_tool NotebookEdit replace apply_patch patch insert insert_edit_into_file ApplyPatch",
  glob: "Glob glob find_files file_search search_files",
  grep: "Grep grep rg search_file_content grep_search ripgrep",
  fetch: "WebFetch web_fetch fetch webfetch fetch_url http_request browser_navigate",
  search: "WebSearch web_search websearch google_web_search",
  task: "Task task agent Agent spawn_agent dispatch_agent subagent delegate invoke_agent",
  plan: "TodoWrite TodoRead todo_write update_plan ExitPlanMode think report_intent ask_user AskUserQuestion stop_bash read_bash list_bash BashOutput KillShell KillBash Skill skill save_memory_note exit_plan_mode EnterPlanMode ToolSearch tool_search TaskCreate TaskGet TaskList TaskStop TaskUpdate TaskOutput ListAgents SendMessage ReportFindings ScheduleWakeup read_agent list_agents write_agent wait_agent close_agent resume_agent send_input get_goal create_goal update_goal request_user_input sql task_complete complete_task write_todos activate_skill fetch_copilot_cli_documentation todo store_memory signalbox_docs mcp_search",
};

const KINDS: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) =>
    names.split(" ").map((name): [string, ToolKind] => [name, readKind(kind)]),
  ),
);

function readKind(name: string): ToolKind {
  for (const kind of ["shell", "read", "write", "edit", "glob", "grep", "fetch", "search", "task", "plan"] as const)
    if (kind === name) return kind;
  return "unknown";
}

/**
 * The kind of a tool, from its name. MCP tool names contain a server: `mcp__server__tool`, `mcp:server/tool`,
 * `server.tool`.
 */
export function toolKind(name: string): ToolKind {
  const known = KINDS.get(name);
  if (known !== undefined) return known;
  return /^mcp__\w[\w-]*__\S|^mcp:[\w-]+\/\S/.test(name) ? "mcp" : "unknown";
}

/** Every spelling by which a list may name a tool: as given, its kind, and `mcp:server/tool`. */
export function toolSpellings(name: string): readonly string[] {
  const [, server, tool] = /^mcp__(\w[\w-]*?)__(\S+)$/.exec(name) ?? [];
  return server === undefined ? [name, toolKind(name)] : [name, `mcp:${server}/${tool ?? ""}`];
}
