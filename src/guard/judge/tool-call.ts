import type { GuardFinding, Verdict } from "../../contract/verdict.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { matchesSegment } from "../../lib/path/glob.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import type { ReadyPolicy } from "../rules/ready-policy.ts";

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

const COMMAND_KEYS = ["command", "cmd", "script"] as const;

/** The command text: a string, or an argv as some agents send it. A call with two commands is ambiguous. */
export function commandOf(input: unknown): string | undefined {
  if (!isRecord(input)) return undefined;
  const given = COMMAND_KEYS.map((key) => input[key]).filter((value) => value !== undefined);
  const [only] = given;
  if (given.length !== 1) return undefined;
  const texts = strings(input["args"]) ?? [];
  if (input["args"] !== undefined && strings(input["args"]) === undefined) return undefined;
  if (typeof only === "string") return [only, ...texts.map(shQuote)].join(" ");
  return strings(only)?.concat(texts).map(shQuote).join(" ");
}

const SANE_NAME = /^[A-Za-z](?:[\w:@-]|\.(?!\.)){0,199}(?:\/[\w-]{1,100})?$/;

/** What the policy says about a tool by its name. Entries of the deny and ask lists match any case and spelling. */
export function judgeToolName(name: string, { policy }: ReadyPolicy): readonly GuardFinding[] {
  const { allow, deny, ask, otherwise } = policy.tools;
  const finding = (verdict: Verdict, code: string, because: string): GuardFinding => ({
    verdict,
    code,
    rule: `tools:${code}`,
    because,
    fragment: name,
  });
  if (!SANE_NAME.test(name)) return [finding("deny", "tool-name", "not a valid tool name")];
  const loose = [...toolSpellings(name), ...sameKind(name, [...deny, ...ask])].map((spelling) =>
    spelling.toLowerCase(),
  );
  const listed = (entries: readonly string[], spellings: readonly string[], folded: boolean) =>
    entries.find((entry) =>
      spellings.some((spelling) => matchesSegment(folded ? entry.toLowerCase() : entry, spelling)),
    );
  const denyEntry = listed(deny, loose, true);
  if (denyEntry !== undefined) return [finding("deny", "tool-denied", `the policy denies the tool ${denyEntry}`)];
  const askEntry = listed(ask, loose, true);
  const questions =
    askEntry === undefined ? [] : [finding("ask", "tool-approval", `the policy requires approval for ${askEntry}`)];
  const allowEntry = listed(allow, [...toolSpellings(name), ...sameTool(name, allow)], false);
  if (allowEntry !== undefined)
    return [...questions, finding("allow", "tool-allowed", `the policy allows the tool ${allowEntry}`)];
  if (allow.length > 0)
    return [...questions, finding(otherwise ?? "deny", "tool-unlisted", "the policy does not list this tool")];
  const kind = toolKind(name);
  if (kind === "unknown") return [...questions, finding("ask", "tool-unknown", "unknown tool")];
  if (kind === "mcp")
    return [...questions, finding("ask", "tool-unknown", `no rule names the MCP tool ${toolSpellings(name).at(-1)}`)];
  return questions;
}

/** Entries that name another agent's tool of the same kind. */
function sameKind(name: string, entries: readonly string[]): readonly string[] {
  const kind = toolKind(name);
  return kind === "mcp" || kind === "unknown" ? [] : entries.filter((entry) => toolKind(entry) === kind);
}

/**
 * Like `sameKind`, for grants. Names within one agent mean different tools (`Edit` is not `MultiEdit`), so they must
 * match exactly.
 */
function sameTool(name: string, entries: readonly string[]): readonly string[] {
  const capital = (text: string) => /^[A-Z]/.test(text);
  return sameKind(name, entries).filter((entry) => capital(entry) !== capital(name));
}
