import { userInfo } from "node:os";
import { basename } from "node:path";
import type { AgentHooks, CallShell } from "../../contract/agent-hooks.ts";
import type { ToolBefore } from "../../contract/hook-event.ts";
import { isRecord } from "../../lib/is-record.ts";
import { codexDialect } from "./dialect.ts";
import { tracedArguments } from "./transcript.ts";

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
