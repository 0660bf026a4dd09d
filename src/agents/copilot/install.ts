import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../lib/files/folder-tree.ts";
import type {
  AgentInstall,
  AgentStart,
  ContainedStart,
  FileHash,
  GivenInstructions,
  GivenTexts,
} from "../../contract/agent-install.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { givenPlugin, type NativeFiles, withoutNative } from "../install/given-plugin.ts";
import { hookSeconds } from "../install/hook-entries.ts";
import { homeOf, readSettings } from "../install/read-settings.ts";
import { isFlag, refuseManaged, refuseSwitchOff, refuseWords } from "../install/refuse.ts";
import { foldersUp } from "../install/walk-folders.ts";
import { DENY_FLAGS } from "./denies.ts";
import { copilotDialect, copilotSwitches, switchingFile } from "./hooks.ts";
import { leadingText } from "./leading-text.ts";
import { copilotOwnHooks, copilotOwnRules } from "./own-rules.ts";
import { copilot as agent, copilotManaged } from "./program.ts";
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
  const text = leadingText(foldersUp(cwd, workspace), workspace);
  if (text !== undefined) refuseLink(text);
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

const write = (path: string, value: object) => writeFileSync(path, JSON.stringify(value), { mode: 0o600 });

/** Copilot's own sandbox is off by default. Ours cannot be entered from it, so a user who wants it keeps it. */
export const copilotContainedStart: NonNullable<AgentInstall["containedStart"]> = ({ flags, env }): ContainedStart => {
  const file = join(env["COPILOT_HOME"] ?? join(homeOf(env), ".copilot"), "settings.json");
  const sandbox = readSettings(file)?.["sandbox"];
  const source = flags.includes("--sandbox")
    ? "--sandbox"
    : isRecord(sandbox) && sandbox["enabled"] === true
      ? file
      : undefined;
  if (source === undefined) return { by: "signalbox", flags };
  const because = `${source} switches Copilot's own sandbox on, so that one contains its commands`;
  return { by: "agent", held: ["disk", "network"], because };
};

const SKILL_FOLDERS = [".github/skills", ".claude/skills", ".agents/skills"];

/** Seen on 1.0.102, in a folder that Copilot does not trust either. */
const NATIVE: NativeFiles = {
  agents: ({ folder, name }) => [
    `.github/agents/${name}.agent.md`,
    `.github/agents/${name}.md`,
    join(".claude/agents", folder, `${name}.md`),
  ],
  commands: () => [],
  skills: ({ name }) => [...SKILL_FOLDERS.map((place) => `${place}/${name}/SKILL.md`), `.claude/commands/${name}.md`],
};

const VARIABLE = "COPILOT_CUSTOM_INSTRUCTIONS_DIRS";

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

/** A command of an earlier session can have made it, to have Copilot send a file to its model that is hidden. */
function refuseLink(path: string): never {
  throw new UserError(
    `${path} links to something other than a Markdown file of this repository, and Copilot would send it to the model`,
    {
      where: path,
      fix: `to look: ls -l ${shQuote(path)}. Then remove the link`,
      exitCode: EXIT.refused,
    },
  );
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

/**
 * Started without a shell, so that no variable can run another program first. A second hook asks about the commands that
 * the first one has rewritten: Copilot drops changed arguments that come with a question.
 */
function hooksOf(wrapper: string, asksSecond: boolean) {
  const hook = (...args: readonly string[]) => ({
    type: "command",
    exec: wrapper,
    args,
    timeoutSec: hookSeconds(args[0] ?? ""),
  });
  const entries = Object.entries(copilotDialect.events).map(([event, name]) => [
    name,
    event === "tool-before" && asksSecond ? [hook(event), hook(event, "second")] : [hook(event)],
  ]);
  return Object.fromEntries(entries);
}

interface Parts {
  readonly given: GivenTexts | undefined;
  /** The private folder of the launch. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** The folders from which Copilot loads texts itself. */
  readonly folders: readonly string[];
}

/** Flags and variables that give Copilot the texts of `.signalbox/`. */
export function copilotGiven({ given, folder, env, folders }: Parts): {
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
} {
  if (given === undefined) return { flags: [], env: {} };
  const plugin = givenPlugin(withoutNative(given, folders, NATIVE), folder, "plugin.json");
  const place = instructionsFolder(given.instructions, folder);
  const own = env[VARIABLE] ?? "";
  return {
    flags: plugin === undefined ? [] : ["--plugin-dir", plugin],
    env: place === undefined ? {} : { [VARIABLE]: own === "" ? place : `${own},${place}` },
  };
}

function instructionsFolder(texts: readonly GivenInstructions[], folder: string): string | undefined {
  if (texts.length === 0) return undefined;
  const top = join(folder, "given-instructions");
  const place = join(top, ".github/instructions");
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const whole = texts.map(({ text }) => text).join("\n\n");
  writeFileSync(join(place, "signalbox.instructions.md"), `---\napplyTo: "**"\n---\n\n${whole}\n`, { mode: 0o600 });
  return top;
}
