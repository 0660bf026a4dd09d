import { join } from "node:path";
import type { AgentInstall, ContainedStart } from "../../contract/agent-install.ts";
import { isRecord } from "../../lib/is-record.ts";
import { homeOf, readSettings } from "../install/read-settings.ts";

/** Copilot's own sandbox is off by default. Ours cannot be entered from it, so a user who wants it keeps it. */
export const copilotContainedStart: NonNullable<AgentInstall["containedStart"]> = ({ flags, env }): ContainedStart => {
  const file = join(env["COPILOT_HOME"] ?? join(homeOf(env), ".copilot"), "settings.json");
  const sandbox = readSettings(file)?.["sandbox"];
  const source = flags.includes("--sandbox")
    ? "--sandbox"
    : isRecord(sandbox) && sandbox["enabled"] === true
      ? file
      : undefined;
  if (source === undefined) return { by: "signalbox", flags };
  const because = `${source} switches Copilot's own sandbox on, so that one contains its commands`;
  return { by: "agent", held: ["disk", "network"], because };
};
