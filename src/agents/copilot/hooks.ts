import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentHooks, TrustedAgents } from "../../contract/agent-install.ts";
import type { Dialect, Payload } from "../../contract/hook-event.ts";
import { MAX_SETTINGS, readBoundedText } from "../../lib/files/read-file.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { switchesHooksOff } from "../install/hook-entries.ts";
import { foldersUp } from "../install/walk-folders.ts";
import { bashOfSystem, CAMEL, flatAnswer, foldersBeside, readFields } from "../pack/hook-fields.ts";
import { copilotDenies } from "./denies.ts";
import { leadingText } from "./leading-text.ts";
import { callsAgent, untrustedAgent } from "./trusted-agents.ts";

/** Copilot reads flat answers. In Claude Code's shape, a denial would let the tool run. */
export const copilotDialect: Dialect = {
  name: "copilot",
  events: {
    "session-start": "sessionStart",
    "session-end": "sessionEnd",
    "prompt-submitted": "userPromptSubmitted",
    "tool-before": "preToolUse",
    "tool-after": "postToolUse",
    "agent-stop": "agentStop",
    "subagent-stop": "subagentStop",
    "compact-before": "preCompact",
    error: "errorOccurred",
  },
  asks: true,
  askDropsInput: true,
  denialExit: 0,
  read(event, payload) {
    const read = readFields(event, withPatch(payload), CAMEL);
    // Copilot reports the stop of a sub-agent as agentStop too; only its agentId shows the difference.
    return read.type === "agent-stop" && read.subAgent !== undefined ? { ...read, type: "subagent-stop" } : read;
  },
  write: flatAnswer,
};

export const copilotHooks: AgentHooks = {
  dialect: copilotDialect,
  shellOf: bashOfSystem,
  refusal({ tool, input, cwd }, { switches, trustedAgents }, trusted) {
    const off = switchingFile(switches);
    if (off !== undefined) return `${off} switches hooks off; remove disableAllHooks from it`;
    const [workspace = "/"] = trustedAgents?.folders ?? [];
    const beside = foldersBeside(input, cwd ?? workspace, workspace);
    const text = leadingText([...(trustedAgents?.folders ?? []), ...beside], workspace);
    if (text !== undefined)
      return `${text} is a link to no text of this repository, and Copilot would send it along; remove it`;
    if (trustedAgents === undefined || !callsAgent(tool, input)) return undefined;
    const file = untrustedAgent(withFolder(trustedAgents, cwd), trusted());
    return file === undefined
      ? undefined
      : `${file} can start programs and is not trusted; the user can review it, then run: signalbox trust`;
  },
  deniesTools: copilotDenies,
  // In a trusted folder Copilot also reads Claude Code's settings.
  alsoRuns: [".claude/hooks/signalbox"],
};

function withFolder(agents: TrustedAgents, cwd: string | undefined): TrustedAgents {
  const here = cwd !== undefined && existsSync(cwd) ? foldersUp(cwd, cwd) : [];
  return { ...agents, folders: [...agents.folders, ...here] };
}

/** Models that write patches as free text get an `apply_patch` without fields; Copilot then reports only the text. */
function withPatch(payload: Payload): Payload {
  const { toolName, toolArgs } = payload;
  const bare = toolName === "apply_patch" && typeof toolArgs === "string" && !toolArgs.trimStart().startsWith("{");
  return bare ? { ...payload, toolArgs: { patch: toolArgs } } : payload;
}

/** In a folder that Copilot trusts, each of these files can silently switch off every hook. */
const FILES = [
  ".github/copilot/settings.json",
  ".github/copilot/settings.local.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
];

/** The files in which Copilot looks for such a switch. */
export const copilotSwitches = (folders: readonly string[]) =>
  [...new Set(folders)].flatMap((folder) => FILES.map((file) => join(folder, file)));

/** The first file that switches hooks off. A file that cannot be read counts. */
export function switchingFile(files: readonly string[]): string | undefined {
  return files.find((file) => existsSync(file) && switchesOff(file));
}

function switchesOff(file: string): boolean {
  try {
    const text = readBoundedText(file, MAX_SETTINGS);
    parseJson(text);
    return switchesHooksOff(text);
  } catch (error) {
    // Copilot ignores a file that is not strict JSON, for example because of a comment or a byte order mark.
    return !(error instanceof SyntaxError);
  }
}
