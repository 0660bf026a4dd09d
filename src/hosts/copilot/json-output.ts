import { join } from "node:path";
import { copilot } from "../../agents/copilot/program.ts";
import type { HeadlessMode } from "../../agents/pack/headless-mode.ts";
import type { Host, HostPlace } from "../../backplane/host.ts";
import { cliHost } from "../program/cli-host.ts";
import type { AgentStarter } from "../program/start-agent.ts";
import { openCopilotReader } from "./records.ts";
import { programSettings, type SessionSettings } from "./session-settings.ts";
import type { CopilotSettings } from "./settings.ts";
import { usageIn } from "./usage-file.ts";

interface OutputParts {
  readonly env: NodeJS.ProcessEnv;
  readonly starter: AgentStarter;
}

/** Copilot's own program with `--output-format json`, the only way in which our hooks run. */
export function jsonOutput(wanted: SessionSettings, { env, starter }: OutputParts, { allowAlways }: CopilotSettings) {
  return async (place: HostPlace): Promise<{ readonly host: Host; readonly missed: readonly string[] }> => {
    const passed = programSettings(wanted, { folder: place.folder, env: { ...env, ...place.env } });
    const usageFile = join(place.folder, "copilot-usage.json");
    const mode: HeadlessMode = {
      agent: copilot,
      capabilities: {},
      flags: (_, version) => [
        "--output-format",
        "json",
        "--no-auto-update",
        ...(wanted.sessionId === undefined ? [] : [`--resume=${wanted.sessionId}`]),
        ...(writesUsage(version) ? ["--usage-output-file", usageFile] : []),
        ...passed.flags,
      ],
      totals: ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"],
      open: () => openCopilotReader(() => usageIn(usageFile)),
    };
    const host = await cliHost(mode, starter, env)({ ...place, env: { ...place.env, ...passed.env } });
    // Its hooks answer for the machine's policy, which has nobody to ask.
    const unused = allowAlways.length === 0 ? [] : ["ABP_COPILOT_PERMISSION_ALLOW_ALWAYS_TOOLS"];
    return { host, missed: [...passed.missed, ...unused] };
  };
}

/** The first version in which we saw the flag. An older one would refuse to start. */
const USAGE_SINCE = [1, 0, 102];

function writesUsage(version: string | null): boolean {
  const parts = (version ?? "0").split(".").map(Number);
  const [index = -1] = USAGE_SINCE.keys().filter((at) => parts[at] !== USAGE_SINCE[at]);
  return index === -1 || (parts[index] ?? 0) > (USAGE_SINCE[index] ?? 0);
}
