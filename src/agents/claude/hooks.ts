import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { textIfReadable } from "../../lib/files/read-file.ts";
import type { AgentHooks, TrustedFiles } from "../../contract/agent-install.ts";
import type { Dialect } from "../../contract/hook-event.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { nestedAnswer } from "../pack/hook-event.ts";
import { foldersBeside, readFields, SNAKE } from "../pack/hook-fields.ts";
import { claudeFiles } from "./settings.ts";

const EVENTS = {
  "session-start": "SessionStart",
  "session-end": "SessionEnd",
  "prompt-submitted": "UserPromptSubmit",
  "tool-before": "PreToolUse",
  "tool-after": "PostToolUse",
  "agent-stop": "Stop",
  "subagent-stop": "SubagentStop",
  "compact-before": "PreCompact",
  error: "StopFailure",
} as const;

/** Claude Code's name for the end of a call that failed, a command with another exit code than 0 among them. */
export const AFTER_FAILURE = "PostToolUseFailure";

/** Modes in which Claude Code refuses more than its rules say. It changes them during a session. */
const MODES: Readonly<Record<string, "plan" | "dont-ask">> = { plan: "plan", dontAsk: "dont-ask" };

export const claudeDialect: Dialect = {
  name: "claude",
  events: EVENTS,
  asks: true,
  denialExit: 0,
  read(event, payload) {
    const read = readFields(event, payload, SNAKE);
    if (read.type === "tool-after" && payload["hook_event_name"] === AFTER_FAILURE) return { ...read, failed: true };
    if (read.type !== "tool-before") return read;
    const mode = MODES[String(payload["permission_mode"])];
    const { tool_use_id: id } = payload;
    return { ...read, ...(mode === undefined ? {} : { mode }), ...(typeof id === "string" ? { id } : {}) };
  },
  write: (event, answer) => nestedAnswer(event, answer, answer.afterFailure === true ? AFTER_FAILURE : EVENTS[event]),
};

export const claudeHooks: AgentHooks = {
  dialect: claudeDialect,
  shellOf: (_, { shell }) => (shell === undefined ? undefined : { name: shell, chosenByModel: false }),
  refusal({ tool, input, cwd }, { trustedFiles }) {
    if (trustedFiles === undefined) return undefined;
    const changed = changedSince(trustedFiles);
    if (changed !== undefined)
      return `${changed} was added or changed during this session and may start programs; ask the user to review it`;
    const skill = tool === "Skill" ? nestedSkill(input) : undefined;
    if (skill !== undefined)
      return `${skill} is not a trusted skill; move it to .claude/skills at the top, then run: signalbox trust`;
    const nested = nestedBeside(trustedFiles, input, cwd ?? trustedFiles.workspace);
    return nested === undefined
      ? undefined
      : `${nested} is not trusted, and the agent would load it along with this file`;
  },
};

/** A file that was added or changed since: Claude Code reloads its settings whenever they change. */
export function changedSince({ folders, files }: TrustedFiles): string | undefined {
  const now = claudeFiles(folders);
  if (now.unfit.length > 0) return now.unfit[0];
  return now.files.find((path) => {
    const text = textIfReadable(path);
    return text === undefined || !files.some((file) => file.path === path && file.hash === sha256(text));
  });
}

/** A nested `.claude` folder next to a file that the call names: Claude Code loads its skills when it works there. */
export const nestedBeside = ({ workspace }: TrustedFiles, input: unknown, cwd: string): string | undefined =>
  foldersBeside(input, cwd, workspace)
    .map((folder) => join(folder, ".claude"))
    .find((place) => existsSync(place));

/**
 * Claude Code names a skill of a nested folder `folder:skill`, as it does those of plugins. It may have loaded one that
 * was there between two looks of ours.
 */
export function nestedSkill(input: unknown, env = process.env): string | undefined {
  const name = isRecord(input) ? (input["skill"] ?? input["command"]) : undefined;
  const [, owner] = typeof name === "string" ? (/^\/?(.*):[^:]*$/s.exec(name) ?? []) : [];
  if (typeof name !== "string" || owner === undefined || owner === "signalbox") return undefined;
  const settings = textIfReadable(
    join(env["CLAUDE_CONFIG_DIR"] || join(env["HOME"] || homedir(), ".claude"), "settings.json"),
  );
  return settings?.includes(`"${owner}@`) === true ? undefined : name;
}
