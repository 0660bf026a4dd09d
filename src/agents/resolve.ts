import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ActiveAgent, AgentName } from "../contract/agent.ts";
import { errorCode } from "../lib/error-code.ts";
import { CONTEXT_FILE, readLauncherContext } from "./launcher-context.ts";
import { isAgentName } from "./registry.ts";

/** The variables that name the active agent; the first valid one wins. They are only read here. */
export const AGENT_VARIABLES = ["SIGNALBOX_AGENT", "AMPLIHACK_AGENT_BINARY"] as const;

const DEFAULT_AGENT: AgentName = "copilot";
const MAX_FOLDERS = 32;
const MAX_CHARACTERS = 32;

/**
 * The active agent of a folder: from the environment, otherwise the nearest launcher context, otherwise the default.
 * Every rejected value produces one warning with the source and the reason, but never the value.
 */
export function resolveAgent(cwd: string, env: NodeJS.ProcessEnv, now = new Date()): ActiveAgent {
  const warnings: string[] = [];

  for (const variable of AGENT_VARIABLES) {
    const raw = env[variable];
    if (raw === undefined || raw === "") continue;
    const value = acceptAgentName(raw);
    if (value.agent !== undefined) return { agent: value.agent, source: "env", warnings };
    warnings.push(`${variable} is ignored: ${value.reason}`);
  }

  const found = nearestContextFile(cwd);
  if (found !== undefined) {
    const context = readLauncherContext(found, now);
    const value = "reason" in context ? context : acceptAgentName(context.launcher);
    if (value.agent !== undefined) return { agent: value.agent, source: "file", warnings };
    warnings.push(`${join(found, CONTEXT_FILE)} is ignored: ${value.reason}`);
  }
  return { agent: DEFAULT_AGENT, source: "default", warnings };
}

type Accepted = { readonly agent: AgentName } | { readonly agent?: undefined; readonly reason: string };

/** Validates a name from outside. */
export function acceptAgentName(raw: string): Accepted {
  if (/[/\\]|\.\./.test(raw)) return { reason: "it contains a path" };
  if (/\p{Cc}/u.test(raw)) return { reason: "it contains a control character" };
  const name = raw.trim().toLowerCase();
  if (/\s/.test(name)) return { reason: "it contains white space" };
  if (name.length > MAX_CHARACTERS) return { reason: `it is longer than ${MAX_CHARACTERS} characters` };
  return isAgentName(name) ? { agent: name } : { reason: "it is not a known agent" };
}

/** The nearest folder, upwards, with a context file of any kind. The search stops at the top of a repository. */
function nearestContextFile(cwd: string): string | undefined {
  let folder: string;
  try {
    folder = realpathSync(cwd);
  } catch {
    return undefined;
  }
  for (let looked = 0; looked < MAX_FOLDERS; looked++) {
    if (exists(join(folder, CONTEXT_FILE))) return folder;
    if (exists(join(folder, ".git")) || dirname(folder) === folder) return undefined;
    folder = dirname(folder);
  }
  return undefined;
}

/** An inaccessible path counts as existing: an unreadable folder must not let a file further up win. */
function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}
