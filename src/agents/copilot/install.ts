import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileHash } from "../../contract/agent-hooks.ts";
import type { AgentInstall } from "../../contract/agent-install.ts";
import { randomId } from "../../lib/random-id.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { foldersUp } from "../install/folders-up.ts";
import { HOOK_SECONDS } from "../install/hook-seconds.ts";
import { refuseManaged } from "../install/managed-settings.ts";
import { isFlag, refuseSwitchOff } from "../install/refuse-switch-off.ts";
import { refuseWords } from "../install/refuse-words.ts";
import { copilotDialect } from "./dialect.ts";
import { copilotManaged } from "./managed.ts";
import { copilotRule } from "./own-rules.ts";
import { copilot as agent } from "./program.ts";
import { copilotSwitches, switchingFile } from "./switches.ts";
import { trustedAgents, untrustedAgent } from "./trusted-agents.ts";

const REFUSED = {
  agent,
  folders: ["-C"],
  flags: ["--server", "--headless", "--connect", "--environment-host", "--remote"],
  // The last two run tools in sessions of their own, without a word to any hook.
  commands: ["app", "init", "workflow"],
  variables: [],
};
const DROPPED = /^(?:COPILOT_TEST_|COPILOT_E2E_|COPILOT_HOOK_|COPILOT_CLI_POLICY_HELPER$|COPILOT_CLI_DIST_DIR$)/;

/**
 * A plugin of ours for this one start, named so that nobody can take its place. The user's home stays as it is. A
 * repository that could switch hooks off is refused: the user may come to trust it in the middle of a session.
 */
const install: AgentInstall["install"] = ({ folder, wrapper, flags, env, workspace, cwd, trusted }) => {
  refuseWords(REFUSED, { flags, env });
  refuseManaged(copilotManaged("/"));
  const file = switchingFile(copilotSwitches(foldersUp(cwd, workspace)));
  if (file !== undefined)
    refuseSwitchOff("disableAllHooks", file, "take the key out of that file, however it is spelled there");
  if (flags.some((word) => isFlag(word, "--agent"))) refuseUntrusted(foldersUp(cwd, workspace), trusted);
  const plugin = join(folder, "copilot-plugin");
  const sandbox = join(folder, "sandbox");
  mkdirSync(join(plugin, "hooks"), { recursive: true, mode: 0o700 });
  const name = `signalbox-${randomId()}`;
  const description = "Asks signalbox about every tool call of this session.";
  write(join(plugin, "plugin.json"), { name, version: "1.0.0", description, hooks: "hooks/hooks.json" });
  write(join(plugin, "hooks", "hooks.json"), { version: 1, hooks: hooksOf(wrapper) });
  const leftovers = join(env["COPILOT_HOME"] ?? join(env["HOME"] ?? "", ".copilot"), "plugin-data", "_direct");
  const known = namesIn(leftovers);
  const kept = Object.entries(env).filter(([variable]) => !DROPPED.test(variable));
  return {
    // Copilot looks at the paths of a command before it asks us; the one of our sandbox must be known to it.
    flags: ["--plugin-dir", plugin, ...(existsSync(sandbox) ? ["--add-dir", sandbox] : []), ...flags],
    // A resumed session would otherwise move to its old folder, whose settings nobody has looked at.
    env: { ...Object.fromEntries(kept), COPILOT_DISABLE_RESUME_AUTO_CD: "true" },
    end: () => removeEmpty(leftovers, known),
  };
};

export const copilotInstall: AgentInstall = {
  install,
  factsOf(start) {
    const folders = foldersUp(start.cwd, start.workspace);
    return {
      switches: copilotSwitches(folders),
      trustedAgents: trustedAgents(folders),
      neverAllow: copilotRule(start) !== undefined,
    };
  },
  ownRule: copilotRule,
};

/** An agent that the person names is loaded before any call that we could deny. */
function refuseUntrusted(folders: readonly string[], trusted: readonly FileHash[]): void {
  const file = untrustedAgent(trustedAgents(folders), trusted);
  if (file === undefined) return;
  throw new UserError(`${file} may start programs and is not trusted`, {
    where: "--agent",
    fix: "read it, then: signalbox trust",
    exitCode: EXIT.refused,
  });
}

/** Copilot makes an empty folder for every plugin that it was ever given. */
function removeEmpty(folder: string, known: readonly string[]): void {
  for (const name of namesIn(folder).filter((entry) => !known.includes(entry))) {
    try {
      rmdirSync(join(folder, name));
    } catch {
      // Somebody has put something into it.
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Started without a shell, so that no variable can put a program before ours. */
function hooksOf(wrapper: string) {
  const entries = Object.entries(copilotDialect.events).map(([event, name]) => [
    name,
    [{ type: "command", exec: wrapper, args: [event], timeoutSec: HOOK_SECONDS }],
  ]);
  return Object.fromEntries(entries);
}

const write = (path: string, value: object) => writeFileSync(path, JSON.stringify(value), { mode: 0o600 });
