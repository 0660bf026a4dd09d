import type { Command } from "commander";
import { matchesSegment } from "../../lib/glob.ts";
import { nearest } from "../../lib/nearest.ts";
import { UserError } from "../../lib/user-error.ts";
import type { LoadedSettings } from "../../settings/load-settings.ts";
import { TOOL_NAMES } from "../../tools/tool-names.ts";
import { check, once, textsFlag } from "../flags.ts";

const many = (value: string, before: readonly string[] = []) => [...before, value];

const onceChecked = (value: string, before: string | undefined) => once(check(value), before);

/** The flags of every command that starts the engine. */
export function engineFlags(command: Command): Command {
  return addSkillFlags(command)
    .option("--model <name>", "provider/model (default: SIGNALBOX_MODEL, then settings.yaml)", once)
    .option("--effort <level>", "how much the model thinks: low, medium, high or max", once)
    .option("--base-url <url>", "base URL of the provider, for your own server", once)
    .option("--autopilot", "work on until it says that the task is complete; nobody is asked")
    .option("--accept <command>", "the task is done only when this command succeeds", onceChecked)
    .option("--accept-keep <glob>", "these files decide the check too (may be repeated)", many)
    .option("--accept-changed <glob>", "files of the check that the task may change (may be repeated)", many)
    .option("--accept-timeout <seconds>", "time limit for it (default: 600)", once)
    .option("--max-turns <number>", "stop after this many turns of the session", once)
    .option("--max-cost <dollars>", "stop when the session has cost this much", once)
    .option("--timeout <seconds>", "stop after this time", once)
    .option("--model-idle <seconds>", "how long the model may stay silent (default: 300)", once)
    .option("--allow-tool <glob>", "offer only these tools (may be repeated)", many)
    .option("--deny-tool <glob>", "do not offer these tools (may be repeated)", many)
    .option("--policy <file>", "use this policy as the user's own", once)
    .option("--preset <name>", "start from this preset: default, read-only, ci or none", once)
    .option("--require-sandbox", "refuse to start where commands cannot run in a sandbox")
    .option("--json", "print every event as a line of JSON");
}

export function addSkillFlags(command: Command): Command {
  return command
    .option("--skill-directory <folder>", "offer the skills in this folder too (may be repeated)", many)
    .option("--disable-skill <name>", "do not offer this skill (may be repeated)", many);
}

/** What these flags and the settings files say together. */
export const skillSettings = (flags: Readonly<Record<string, unknown>>, files: LoadedSettings["skills"]) => ({
  directories: [...textsFlag(flags, "skillDirectory"), ...files.directories],
  disabled: [...textsFlag(flags, "disableSkill"), ...files.disabled],
});

/** A misspelled name would silently allow nothing, or deny nothing. */
export function refuseUnknownTools(flags: Readonly<Record<string, unknown>>): void {
  for (const flag of ["allowTool", "denyTool"]) {
    const unknown = textsFlag(flags, flag).find(
      (pattern) => !pattern.startsWith("mcp_") && !TOOL_NAMES.some((name) => matchesSegment(pattern, name)),
    );
    if (unknown === undefined) continue;
    const meant = nearest(unknown, TOOL_NAMES);
    throw new UserError(`unknown tool "${unknown}"`, {
      where: flag === "allowTool" ? "--allow-tool" : "--deny-tool",
      fix: meant === undefined ? `the tools are ${TOOL_NAMES.join(", ")}` : `did you mean ${meant}?`,
    });
  }
}
