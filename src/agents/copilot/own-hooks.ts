import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { AgentInstall } from "../../contract/agent-install.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { isInside } from "../../lib/inside.ts";
import { strings } from "../../lib/is-record.ts";
import { claudeDialect } from "../claude/dialect.ts";
import { hookEntries } from "../install/hook-entries.ts";
import { homeOf, parseSettings, readSettings, textOf } from "../install/read-settings.ts";
import { isFlag } from "../install/refuse.ts";
import { copilotDialect } from "./dialect.ts";
import { withoutComments } from "./own-rules.ts";

type Start = Parameters<NonNullable<AgentInstall["ownHooks"]>>[0];

/** Copilot knows its events by Claude Code's names too. */
const names = (event: HookEventName) => [copilotDialect.events[event], claudeDialect.events[event]];

const SETTINGS = [
  ".github/copilot/settings.json",
  ".github/copilot/settings.local.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
];

/**
 * Only those that surely run, because a hook that neither we nor Copilot start would be lost. The repository's count where
 * Copilot knows the folder as trusted.
 */
export const copilotOwnHooks: NonNullable<AgentInstall["ownHooks"]> = (start) => {
  const home = start.env["COPILOT_HOME"] || join(homeOf(start.env), ".copilot");
  const { workspace } = start;
  const project = isTrusted(start, home)
    ? [...jsonFiles(join(workspace, ".github/hooks")), ...SETTINGS.map((name) => join(workspace, name))]
    : [];
  return [
    ...jsonFiles(join(home, "hooks")).flatMap((path) => hookEntries(readSettings(path), { own: true, names })),
    ...project.flatMap((path) => hookEntries(readSettings(path), { own: false, names })),
  ];
};

function isTrusted({ flags, env, cwd }: Start, home: string): boolean {
  const known = ["config.json", "settings.json"].flatMap((name) => {
    const settings = parseSettings(withoutComments(textOf(join(home, name)) ?? ""));
    return strings(settings?.["trusted_folders"] ?? settings?.["trustedFolders"]) ?? [];
  });
  return (
    known.some((folder) => isInside(cwd, folder)) ||
    flags.some((word) => isFlag(word, "--trust-folder")) ||
    env["COPILOT_ALLOW_ALL"] === "true" ||
    env["GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS"] === "true"
  );
}

function jsonFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
