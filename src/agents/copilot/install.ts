import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileHash } from "../../contract/agent-hooks.ts";
import type { AgentInstall, AgentStart } from "../../contract/agent-install.ts";
import { randomId } from "../../lib/random-id.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { foldersUp } from "../install/walk-folders.ts";
import { HOOK_SECONDS } from "../install/hook-seconds.ts";
import { isFlag, refuseManaged, refuseSwitchOff, refuseWords } from "../install/refuse.ts";
import { copilotContainedStart } from "./containment.ts";
import { DENY_FLAGS } from "./denies.ts";
import { copilotDialect } from "./dialect.ts";
import { copilotGiven } from "./given.ts";
import { copilotManaged } from "./managed.ts";
import { copilotOwnHooks } from "./own-hooks.ts";
import { copilotOwnRules } from "./own-rules.ts";
import { copilot as agent } from "./program.ts";
import { copilotSwitches, switchingFile } from "./switches.ts";
import { trustedAgents, untrustedAgent } from "./trusted-agents.ts";

const REFUSED = {
  agent,
  folders: ["-C"],
  flags: ["--server", "--headless", "--connect", "--environment-host", "--remote"],
  // The last two run tools in separate sessions, without calling any hook.
  commands: ["app", "init", "workflow"],
  variables: [],
};
const DROPPED = /^(?:COPILOT_TEST_|COPILOT_E2E_|COPILOT_HOOK_|COPILOT_CLI_POLICY_HELPER$|COPILOT_CLI_DIST_DIR$)/;

/**
 * Adds a plugin for this one start, with a random name that nobody else can use. The user's home is not changed. A
 * repository that could switch hooks off is refused, because the user may decide to trust it during the session.
 */
const install: AgentInstall["install"] = ({
  folder,
  wrapper,
  flags,
  env,
  workspace,
  cwd,
  trusted,
  contained,
  interactive,
  given,
}) => {
  refuseWords(REFUSED, { flags, env });
  refuseManaged(copilotManaged("/"));
  const file = switchingFile(copilotSwitches(foldersUp(cwd, workspace)));
  if (file !== undefined)
    refuseSwitchOff("disableAllHooks", file, "remove the key from that file, however it is spelled there");
  if (flags.some((word) => isFlag(word, "--agent"))) refuseUntrusted(foldersUp(cwd, workspace), trusted);
  const plugin = join(folder, "copilot-plugin");
  mkdirSync(join(plugin, "hooks"), { recursive: true, mode: 0o700 });
  const name = `signalbox-${randomId()}`;
  const description = "Asks signalbox about every tool call of this session.";
  write(join(plugin, "plugin.json"), { name, version: "1.0.0", description, hooks: "hooks/hooks.json" });
  write(join(plugin, "hooks", "hooks.json"), {
    version: 1,
    hooks: hooksOf(wrapper, contained === true && interactive),
  });
  const texts = copilotGiven({ given, folder, env, folders: foldersUp(cwd, workspace) });
  const leftovers = join(env["COPILOT_HOME"] ?? join(env["HOME"] ?? "", ".copilot"), "plugin-data", "_direct");
  const known = namesIn(leftovers);
  const kept = Object.entries({ ...env, ...texts.env }).filter(([variable]) => !DROPPED.test(variable));
  return {
    flags: ["--plugin-dir", plugin, ...texts.flags, ...flags],
    // Otherwise a resumed session would move to its old folder, whose settings were not checked.
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
      neverAllow: deniesAnything(start),
    };
  },
  readOwnRules: copilotOwnRules,
  ownHooks: copilotOwnHooks,
  containedStart: copilotContainedStart,
};

/** True when the user denies a tool or an address, which a hook's `allow` would override. */
function deniesAnything(start: AgentStart): boolean {
  const { deny, unreadable } = copilotOwnRules(start);
  const byFlag = start.flags.some((word) => DENY_FLAGS.some((flag) => isFlag(word, flag)));
  return byFlag || deny.length > 0 || unreadable !== undefined;
}

/** An agent that the person names is loaded before the first call that we could deny. */
function refuseUntrusted(folders: readonly string[], trusted: readonly FileHash[]): void {
  const file = untrustedAgent(trustedAgents(folders), trusted);
  if (file === undefined) return;
  throw new UserError(`${file} can start programs and is not trusted`, {
    where: "--agent",
    fix: "review it, then run: signalbox trust",
    exitCode: EXIT.refused,
  });
}

/** Copilot leaves an empty folder behind for every plugin. */
function removeEmpty(folder: string, known: readonly string[]): void {
  for (const name of namesIn(folder).filter((entry) => !known.includes(entry))) {
    try {
      rmdirSync(join(folder, name));
    } catch {
      // It is not empty.
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

/**
 * Started without a shell, so that no variable can run another program first. A second hook asks about the commands that
 * the first one has rewritten: Copilot drops changed arguments that come with a question.
 */
function hooksOf(wrapper: string, asksSecond: boolean) {
  const hook = (...args: readonly string[]) => ({ type: "command", exec: wrapper, args, timeoutSec: HOOK_SECONDS });
  const entries = Object.entries(copilotDialect.events).map(([event, name]) => [
    name,
    event === "tool-before" && asksSecond ? [hook(event), hook(event, "second")] : [hook(event)],
  ]);
  return Object.fromEntries(entries);
}

const write = (path: string, value: object) => writeFileSync(path, JSON.stringify(value), { mode: 0o600 });
