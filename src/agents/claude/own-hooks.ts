import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { HOOK_EVENTS } from "../dialect/hook-event.ts";
import type { AgentInstall, OwnHook } from "../../contract/agent-install.ts";
import { isRecord } from "../../lib/is-record.ts";
import { homeOf, parseSettings, readSettings } from "../install/read-settings.ts";
import { claudeDialect } from "./dialect.ts";
import { settingsFlags } from "./own-rules.ts";

/** Only of settings that this start loads: a headless one leaves out those of a repository that is not trusted. */
export const claudeOwnHooks: NonNullable<AgentInstall["ownHooks"]> = ({
  flags,
  env,
  cwd,
  interactive,
  trustedFiles,
}) => {
  const user = join(env["CLAUDE_CONFIG_DIR"] || join(homeOf(env), ".claude"), "settings.json");
  const given = settingsFlags(flags).map((value) =>
    value.trimStart().startsWith("{") ? parseSettings(value) : readSettings(resolve(cwd, value)),
  );
  const loadsProject = interactive || trustedFiles !== undefined;
  const project = ["settings.json", "settings.local.json"].map((name) => join(cwd, ".claude", name));
  return [
    ...[readSettings(user), ...given].flatMap((settings) => hooksIn(settings, true)),
    ...(loadsProject ? project.filter((path) => existsSync(path)) : []).flatMap((path) =>
      hooksIn(readSettings(path), false),
    ),
  ];
};

/** Commands without a matcher, which run on every event of their kind. */
function hooksIn(settings: Readonly<Record<string, unknown>> | undefined, own: boolean): readonly OwnHook[] {
  const events = settings?.["hooks"];
  if (!isRecord(events)) return [];
  return HOOK_EVENTS.flatMap((event) =>
    recordsIn(events[claudeDialect.events[event] ?? ""])
      .filter(({ matcher }) => matcher === undefined || matcher === "" || matcher === "*")
      .flatMap(({ hooks }) => recordsIn(hooks))
      .flatMap(({ command }) => (typeof command === "string" ? [{ event, command, own }] : [])),
  );
}

const recordsIn = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);
