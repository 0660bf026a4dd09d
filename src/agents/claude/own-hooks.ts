import { join, resolve } from "node:path";
import type { AgentInstall } from "../../contract/agent-install.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { hookEntries } from "../install/hook-entries.ts";
import { homeOf, parseSettings, readSettings } from "../install/read-settings.ts";
import { claudeDialect } from "./dialect.ts";
import { settingsFlags } from "./own-rules.ts";

const names = (event: HookEventName) => [claudeDialect.events[event]];

/** Only of settings that this start loads: a headless one leaves out those of a repository that is not trusted. */
export const claudeOwnHooks: NonNullable<AgentInstall["ownHooks"]> = (start) => {
  const { flags, env, cwd, interactive, trustedFiles } = start;
  const user = join(env["CLAUDE_CONFIG_DIR"] || join(homeOf(env), ".claude"), "settings.json");
  const given = settingsFlags(flags).map((value) =>
    value.trimStart().startsWith("{") ? parseSettings(value) : readSettings(resolve(cwd, value)),
  );
  const loadsProject = interactive || trustedFiles !== undefined;
  const project = ["settings.json", "settings.local.json"].map((name) => join(cwd, ".claude", name));
  return [
    ...[readSettings(user), ...given].flatMap((settings) => hookEntries(settings, { own: true, names })),
    ...(loadsProject ? project : []).flatMap((path) => hookEntries(readSettings(path), { own: false, names })),
  ];
};
