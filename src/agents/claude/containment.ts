import type { AgentInstall, ContainedStart } from "../../contract/agent-install.ts";
import { isRecord } from "../../lib/is-record.ts";
import { claudeManagedSettings } from "./settings.ts";

type Settings = Readonly<Record<string, unknown>>;

/** Claude Code's own sandbox is switched off, since ours cannot be entered from it. An administrator's stays. */
export const claudeContainedStart: NonNullable<AgentInstall["containedStart"]> = (
  { flags },
  root = "/",
): ContainedStart => {
  const managed = claudeManagedSettings(root).find(({ settings }) => isOn(settings));
  if (managed === undefined) return { by: "signalbox", flags };
  const because = `${managed.file} switches Claude Code's own sandbox on, so that one contains its commands`;
  return { by: "agent", held: ["disk", "network"], because };
};

const isOn = ({ sandbox }: Settings) => isRecord(sandbox) && sandbox["enabled"] === true;

/** The settings of a contained start. In a launch's settings, this overrides the user's. */
export function withoutSandbox(settings: Settings): Settings {
  const sandbox = isRecord(settings["sandbox"]) ? settings["sandbox"] : {};
  return { ...settings, sandbox: { ...sandbox, enabled: false } };
}
