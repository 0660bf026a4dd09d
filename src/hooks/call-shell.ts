import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { basename } from "node:path";
import type { RunningShell, AgentCall } from "../contract/agent-call.ts";
import { runningShell } from "../lib/running-shell.ts";
import { isRecord } from "../lib/is-record.ts";
import { tracedArguments } from "./codex-transcript.ts";
import type { ToolBefore } from "./hook-event.ts";
import type { HookSettings } from "./hook-settings.ts";

/** The shell that will run a call's command, as far as it is certain. Where it is not, it may be any. */
export function callShell(event: ToolBefore, { agent, shell }: HookSettings): AgentCall["shell"] {
  switch (agent) {
    case "codex":
      return codexShell(event);
    case "copilot":
    case "gemini":
      return existsSync("/bin/bash") ? "bash" : "any";
    default:
      return shell ?? "any";
  }
}

/** In Codex the model may name a shell, and its hooks are not told. Without a name the user's login shell runs. */
function codexShell({ input, trace }: ToolBefore): AgentCall["shell"] {
  const command = isRecord(input) ? input["command"] : undefined;
  const given = trace === undefined ? undefined : tracedArguments(trace);
  if (given === undefined || (given["cmd"] ?? given["command"]) !== command) return "any";
  const { shell } = given;
  if (shell === undefined || shell === null) return loginShell();
  const named = typeof shell === "string" ? runningShell(basename(shell)) : "any";
  return named === "any" ? "foreign" : named;
}

function loginShell(): RunningShell {
  try {
    return runningShell(basename(userInfo().shell ?? ""));
  } catch {
    // A user without an entry.
    return "any";
  }
}
