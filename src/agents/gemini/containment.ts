import type { AgentInstall, ContainedStart } from "../../contract/agent-install.ts";
import { readSettingsOf, tableIn } from "./settings.ts";

type Start = Parameters<NonNullable<AgentInstall["containedStart"]>>[0];

/** Gemini's own sandbox runs all of Gemini in a container, where our hooks cannot be reached. So ours replaces it. */
export const geminiContainedStart: NonNullable<AgentInstall["containedStart"]> = (start): ContainedStart => {
  const source = ownSandbox(start);
  const flags = start.flags.filter((word) => !SANDBOX_FLAG.test(word));
  if (source === undefined) return { by: "signalbox", flags };
  const say = `${source} asks for Gemini's own sandbox, which stays off: its commands run in signalbox's sandbox`;
  return { by: "signalbox", flags, say };
};

const SANDBOX_FLAG = /^(?:-s|--sandbox)(?:=|$)/;
const SWITCHED_OFF = ["", "0", "false"];

/** What asks for Gemini's own sandbox; undefined when nothing does. */
export function ownSandbox({ flags, env }: Pick<Start, "flags" | "env">): string | undefined {
  if (flags.some((word) => SANDBOX_FLAG.test(word) && !word.endsWith("=false"))) return "--sandbox";
  if (!SWITCHED_OFF.includes((env["GEMINI_SANDBOX"] ?? "").toLowerCase().trim())) return "GEMINI_SANDBOX";
  const found = readSettingsOf(env).find(({ settings }) => {
    const { sandbox = false } = tableIn(settings, "tools");
    return sandbox !== false && !SWITCHED_OFF.some((word) => word === sandbox);
  });
  return found === undefined ? undefined : `tools.sandbox in ${found.file}`;
}
