import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { StartFacts } from "../../contract/agent-hooks.ts";
import type { OwnHook } from "../../contract/agent-install.ts";
import { SESSION_VARIABLE } from "../../lib/inside-session.ts";
import { packageRoot } from "../../lib/package-root.ts";
import { randomId } from "../../lib/random-id.ts";
import { sessionVariables } from "../../lib/session-depth.ts";
import type { HookSettings } from "../hook-settings.ts";
import { withoutAgentEntries } from "../project/agent-entries.ts";
import { ancestorHooks } from "../project/ancestor-hooks.ts";
import { findHooks, registerHooks } from "../project/find-hooks.ts";
import { launchesFolder, serversFolder } from "../server-address.ts";
import type { GuardedStart } from "./guarded-start.ts";

interface Launch extends Pick<
  HookSettings,
  "sandbox" | "held" | "heldByAgent" | "requiresSandbox" | "ownSandbox" | "ownRules"
> {
  readonly workspace: string;
  /** The user's signalbox folder. */
  readonly folder: string;
  readonly facts: Partial<StartFacts>;
  /** What the agent starts by itself. */
  readonly ownHooks: readonly OwnHook[];
}

/** Where the settings of a launch are kept. */
export const settingsFile = (folder: string) => join(folder, "hook-settings.json");

/** Everything that the hooks of a launch need to know, fixed before the agent starts. */
export function launchSettings(
  start: GuardedStart,
  { workspace, folder, facts, ownHooks, ...contained }: Launch,
): HookSettings {
  const places = { workspace, folder };
  const found = withoutAgentEntries([...findHooks(places), ...ancestorHooks(places, start.env)], ownHooks, places);
  return {
    switches: [],
    ...facts,
    agent: start.agent,
    workspace,
    folder,
    interactive: start.interactive,
    closed: [...new Set([start.folder, realpathSync(start.folder), launchesFolder(folder), serversFolder(folder)])],
    ...contained,
    recipes: {
      program: join(packageRoot(), "bin/signalbox"),
      variables: { ...sessionVariables(start.env, start.id), [SESSION_VARIABLE]: settingsFile(start.folder) },
    },
    deniedTools: start.deniedTools,
    order: start.order,
    hooks: registerHooks(found, start.warn),
    seal: randomId(),
  };
}
