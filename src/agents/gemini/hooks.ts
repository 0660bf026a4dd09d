import { resolve } from "node:path";
import type { AgentHooks } from "../../contract/agent-install.ts";
import type { Dialect, HookAnswer, HookEvent, HookEventName, Payload } from "../../contract/hook-event.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { isStop, reasonText, told } from "../pack/hook-event.ts";
import { bashOfSystem, readFields, SNAKE } from "../pack/hook-fields.ts";

/** Gemini CLI calls the answer `decision`. Older versions run the tool when a hook asks, so ours never does. */
export const geminiDialect: Dialect = {
  name: "gemini",
  events: {
    "session-start": "SessionStart",
    "session-end": "SessionEnd",
    "prompt-submitted": "BeforeAgent",
    "tool-before": "BeforeTool",
    "tool-after": "AfterTool",
    "agent-stop": "AfterAgent",
    "compact-before": "PreCompress",
  },
  asks: false,
  denialExit: 0,
  read,
  write,
};

export const geminiHooks: AgentHooks = { dialect: geminiDialect, shellOf: bashOfSystem };

function read(event: HookEventName, payload: Payload): HookEvent {
  const found = readFields(event, payload, SNAKE);
  if (found.type !== "tool-before" && found.type !== "tool-after") return found;
  return { ...found, tool: serverTool(payload["mcp_context"]) ?? found.tool, cwd: folderOf(found) };
}

/** The name by which the rules know a server's tool. Gemini's own does not show where the server's name ends. */
function serverTool(context: unknown): string | undefined {
  if (!isRecord(context)) return undefined;
  const { server_name: server, tool_name: tool } = context;
  return typeof server === "string" && typeof tool === "string" ? `mcp__${server}__${tool}` : undefined;
}

/** The model may name the folder that a command runs in. */
function folderOf({ tool, input, cwd }: Extract<HookEvent, { readonly type: "tool-before" | "tool-after" }>) {
  const folder = isRecord(input) && tool === "run_shell_command" ? input["dir_path"] : undefined;
  return typeof folder === "string" && folder !== "" && cwd !== undefined ? resolve(cwd, folder) : cwd;
}

function write(event: HookEventName, answer: HookAnswer): Payload {
  const { verdict, because, input, context, block } = answer;
  if (isStop(event) || (event === "prompt-submitted" && block !== undefined))
    return { ...told(answer), ...(block === undefined ? {} : { decision: "deny", reason: block }) };
  if (event === "tool-before" && (verdict === "deny" || verdict === "ask"))
    return { decision: "deny", reason: reasonText(because) };
  const specific = {
    ...(event === "tool-before" && input !== undefined ? { tool_input: input } : {}),
    ...(context === undefined ? {} : { additionalContext: context }),
  };
  return Object.keys(specific).length === 0 ? {} : { hookSpecificOutput: specific };
}
