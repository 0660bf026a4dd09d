import { join, resolve } from "node:path";
import type { AgentInstall } from "../../contract/agent-install.ts";
import { isRecord } from "../../lib/is-record.ts";
import { homeOf, parseSettings, readSettings } from "../install/read-settings.ts";
import { flagValues } from "../install/refuse.ts";
import { foldersUp } from "../install/walk-folders.ts";
import { claudeManagedSettings } from "./settings.ts";

type Settings = Readonly<Record<string, unknown>>;

/** Rules about these tools never match a command. Rules about files do: Claude Code applies them to `cat` too. */
const NO_COMMAND = /^(?:mcp__|WebFetch|WebSearch|Agent|Task|Skill|NotebookEdit)/;

export const claudeRule: AgentInstall["ownRule"] = ({ flags, env, cwd, workspace }, root = "/") => {
  const user = join(env["CLAUDE_CONFIG_DIR"] ?? join(homeOf(env), ".claude"), "settings.json");
  const project = foldersUp(cwd, workspace).flatMap((folder) =>
    ["settings.json", "settings.local.json"].map((name) => join(folder, ".claude", name)),
  );
  const sources = [
    ...claudeManagedSettings(root).map(({ file, settings }) => ({ where: file, settings })),
    ...[user, ...project].map((where) => ({ where, settings: readSettings(where) })),
    ...flagValues(flags, ["--settings"]).map((value) => ({ where: "--settings", settings: settingsIn(value, cwd) })),
  ];
  for (const { where, settings } of sources) {
    const rule = rulesOf(settings).find((text) => !NO_COMMAND.test(text));
    if (rule !== undefined) return { rule, where };
  }
  const flag = flagValues(flags, ["--disallowedTools", "--disallowed-tools"]).find((rule) => !NO_COMMAND.test(rule));
  return flag === undefined ? undefined : { rule: flag, where: "--disallowedTools" };
};

function settingsIn(value: string, cwd: string): Settings | undefined {
  return value.trimStart().startsWith("{") ? parseSettings(value) : readSettings(resolve(cwd, value));
}

function rulesOf(settings: Settings | undefined): readonly string[] {
  const permissions = settings?.["permissions"];
  if (!isRecord(permissions)) return [];
  return [permissions["deny"], permissions["ask"]].flatMap((list: unknown) =>
    Array.isArray(list) ? list.filter((rule) => typeof rule === "string") : [],
  );
}
