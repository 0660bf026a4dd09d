import { findHooksOf } from "../agents/find-dialect.ts";
import type { AgentCall } from "../contract/agent-call.ts";
import type { ToolBefore } from "../contract/hook-event.ts";
import { runningShell } from "../lib/running-shell.ts";
import type { HookSettings } from "./hook-settings.ts";

/** The shell that will run a call's command, if that is certain. Otherwise it may be any shell. */
export function callShell(event: ToolBefore, settings: HookSettings): AgentCall["shell"] {
  const shell = findHooksOf(settings.agent)?.shellOf?.(event, settings);
  if (shell === undefined) return "any";
  const running = runningShell(shell.name);
  return running === "any" && shell.chosenByModel ? "foreign" : running;
}
