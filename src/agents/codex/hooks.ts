import { userInfo } from "node:os";
import { basename } from "node:path";
import type { AgentHooks, CallShell } from "../../contract/agent-install.ts";
import type { CallTrace, Dialect, Payload, ToolBefore } from "../../contract/hook-event.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { nestedAnswer } from "../pack/hook-event.ts";
import { readFields, SNAKE } from "../pack/hook-fields.ts";
import { tracedArguments } from "./transcript.ts";

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

/** Codex reads Claude Code's shape, but lets the tool run when it finds an unknown key. */
export const codexDialect: Dialect = {
  name: "codex",
  events: EVENTS,
  asks: false,
  denialExit: 0,
  read(event, payload) {
    const read = readFields(event, payload, SNAKE);
    if (read.type === "tool-after") return { ...read, ...named(read.tool, read.input) };
    return read.type === "tool-before" ? { ...read, ...named(read.tool, read.input), ...traced(payload) } : read;
  },
  write(event, answer) {
    if (event === "error") return {};
    // Codex takes changed arguments only with an `allow`, and still asks where it would have asked.
    const changed = answer.input !== undefined && answer.verdict === undefined;
    return nestedAnswer(event, changed ? { ...answer, verdict: "allow" } : answer, EVENTS[event]);
  },
};

export const codexHooks: AgentHooks = { dialect: codexDialect, shellOf: codexShell };

/** The model may name a shell, and Codex does not tell its hooks. Without a name the user's login shell runs. */
function codexShell({ input, trace }: ToolBefore): CallShell | undefined {
  const command = isRecord(input) ? input["command"] : undefined;
  const given = trace === undefined ? undefined : tracedArguments(trace);
  if (given === undefined || (given["cmd"] ?? given["command"]) !== command) return undefined;
  const { shell } = given;
  if (shell === undefined || shell === null) return loginShell();
  return { name: typeof shell === "string" ? basename(shell) : "", chosenByModel: true };
}

function loginShell(): CallShell | undefined {
  try {
    return { name: basename(userInfo().shell ?? ""), chosenByModel: false };
  } catch {
    // A user without an entry.
    return undefined;
  }
}

/** Codex only reports the command. The shell that the model chose for it is in the transcript. */
function traced({ transcript_path: file, tool_use_id: call }: Payload): { readonly trace?: CallTrace } {
  return typeof file === "string" && typeof call === "string" ? { trace: { file, call } } : {};
}

/** Codex reports a patch as a command, and prefixes the tools of sub-agents with their group. */
function named(tool: string, input: unknown): { readonly tool: string; readonly input: unknown } {
  if (tool === "apply_patch" && isRecord(input) && typeof input["command"] === "string")
    return { tool, input: { patch: input["command"] } };
  return { tool: tool.replace(/^multi_agent_v\d+_{0,2}/, ""), input };
}
