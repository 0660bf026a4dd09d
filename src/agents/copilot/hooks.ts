import { existsSync } from "node:fs";
import type { AgentHooks, TrustedAgents } from "../../contract/agent-hooks.ts";
import { bashOfSystem } from "../dialect/bash-of-system.ts";
import { foldersUp } from "../install/walk-folders.ts";
import { copilotDenies } from "./denies.ts";
import { copilotDialect } from "./dialect.ts";
import { switchingFile } from "./switches.ts";
import { callsAgent, untrustedAgent } from "./trusted-agents.ts";

export const copilotHooks: AgentHooks = {
  dialect: copilotDialect,
  shellOf: bashOfSystem,
  refusal({ tool, input, cwd }, { switches, trustedAgents }, trusted) {
    const off = switchingFile(switches);
    if (off !== undefined) return `${off} switches hooks off; remove disableAllHooks from it`;
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
