import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { wordList } from "../../lib/text/shell-words.ts";
import type { AgentInstall, ContainedStart, InstallParts } from "../../contract/agent-install.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { isExecutable, systemProgram } from "../../lib/path/find-program.ts";
import { isInside } from "../../lib/path/inside.ts";
import { unsettableNames } from "../../lib/process/dangerous-variables.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { hookSeconds } from "../install/hook-entries.ts";
import { parseSettings, readSettings } from "../install/read-settings.ts";
import { isFlag, refuseManaged, refuseSwitchOff, refuseWords } from "../install/refuse.ts";
import { claudeGiven } from "./given.ts";
import { AFTER_FAILURE, claudeDialect } from "./hooks.ts";
import { claudeInstructions } from "./instructions.ts";
import { claudeOwnHooks, claudeOwnRules } from "./own-rules.ts";
import { claude as agent } from "./program.ts";
import { anchored, claudeManaged, claudeManagedSettings, leaveOut, ownServers, trustedFilesOf } from "./settings.ts";

type Settings = Readonly<Record<string, unknown>>;

const REFUSED = {
  agent,
  folders: ["--project-config-root"],
  flags: wordList(`
    --bare --safe-mode --bg --background --cloud --environment --pool --remote --teleport --remote-control --rc
    --desktop --tmux --handle-uri --managed-settings --managed-settings-in-initialize
  `),
  commands: [
    "mcp serve",
    "agents",
    "attach",
    "respawn",
    "ultrareview",
    "gateway",
    "plugin eval",
    "plugins eval",
    "remote-control",
  ],
  variables: ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"],
};

/** Emptied in our settings, which override the user's and the environment: each could change our hook, or skip it. */
const EMPTIED = [
  ...REFUSED.variables,
  "CLAUDE_CODE_SHELL_PREFIX",
  ...unsettableNames({ kinds: ["preload"], programs: ["linker", "shell", "node"] }),
  ...unsettableNames({ kinds: ["search"], programs: ["linker"] }),
];

/**
 * Adds one settings file of ours. Unattended, Claude Code runs an unknown repository's hooks and servers without asking,
 * even those that appear during a session. So the repository's settings are left out then, unless every file that counts
 * is trusted. Its deny and ask rules are kept.
 */
const install: AgentInstall["install"] = async (parts) => {
  refuseWords(REFUSED, parts);
  refuseManaged(claudeManaged("/"));
  const { flags, given } = takeSettings(parts.flags);
  const leftOut = !parts.interactive && parts.trustedFiles === undefined;
  const rules = leftOut ? leaveOut(parts) : [];
  const own = given.map((text) => readGiven(text, parts.cwd));
  const instructions = leftOut ? claudeInstructions(parts) : { flags: [], excludes: [] };
  const merged = withExcludes(ourSettings(own, rules, parts.wrapper), instructions.excludes);
  const shelled = inShell(merged, claudeShell(parts.workspace));
  const settings = parts.contained === true ? withoutSandbox(shelled) : shelled;
  if (own.length > 0) await verifyClaude(parts, settings);
  const file = join(parts.folder, "claude-settings.json");
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
  // Our last flag takes exactly one value, so it cannot swallow a word of the person's.
  const sources = leftOut ? ["--setting-sources", "user", ...instructions.flags, ...keptServers(parts)] : [];
  const texts = claudeGiven(parts, !leftOut);
  // CLAUDE.md is text, not code, so it is kept although the folder's settings are left out.
  const readsAdded = leftOut || texts.includes("--add-dir");
  const env = readsAdded ? { ...parts.env, CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1" } : parts.env;
  // First, because a flag of the person's that lacks its value would swallow ours.
  return { flags: [...sources, ...texts, "--settings", file, ...flags], env };
};

/** An exception for a path, as in `Read(!x)`. In a command, `!` belongs to the shell. */
const EXCEPTION = /^(?!Bash|PowerShell)[^(]*\((?:\.\/)?!/;

/** Claude Code's variable for its shell. In a launch's settings it overrides SHELL and everything but managed settings. */
export const SHELL_VARIABLE = "CLAUDE_CODE_SHELL";

/** Claude Code's own sandbox is switched off, since ours cannot be entered from it. An administrator's stays. */
export const claudeContainedStart: NonNullable<AgentInstall["containedStart"]> = (
  { flags },
  root = "/",
): ContainedStart => {
  const managed = claudeManagedSettings(root).find(({ settings }) => isOn(settings));
  if (managed === undefined) return { by: "signalbox", flags };
  const because = `${managed.file} switches Claude Code's own sandbox on, so that one contains its commands`;
  return { by: "agent", held: ["disk", "network"], because };
};

const isOn = ({ sandbox }: Settings) => isRecord(sandbox) && sandbox["enabled"] === true;

const MILLISECONDS = 20_000;

export const claudeInstall: AgentInstall = {
  install,
  factsOf: (start) => ({
    shell: claudeShell(start.workspace) === undefined ? undefined : "bash",
    trustedFiles: start.interactive ? undefined : trustedFilesOf(start),
  }),
  readOwnRules: claudeOwnRules,
  ownHooks: claudeOwnHooks,
  containedStart: claudeContainedStart,
};

/** The person's own servers, which would be lost with the settings. `--strict-mcp-config` asks for none of them. */
function keptServers(parts: InstallParts): readonly string[] {
  const mcpServers = parts.flags.includes("--strict-mcp-config")
    ? {}
    : ownServers(parts.cwd, parts.env, parts.workspace);
  if (Object.keys(mcpServers).length === 0) return [];
  const file = join(parts.folder, "claude-servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers }), { mode: 0o600 });
  return ["--mcp-config", file];
}

/**
 * Claude Code reads only the last `--settings`, so the person's own are removed and merged into ours. Those after a `--`
 * too: it may be the value of another flag. `--setting-sources` is refused, because we decide about a repository's settings.
 */
function takeSettings(words: readonly string[]): {
  readonly flags: readonly string[];
  readonly given: readonly string[];
} {
  const flags: string[] = [];
  const given: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (isFlag(word, "--setting-sources"))
      refuseSwitchOff(
        "--setting-sources",
        "the flags after --",
        "remove it: settings of an untrusted repository are not loaded anyway",
      );
    if (!isFlag(word, "--settings")) flags.push(word);
    else given.push(word === "--settings" ? (words[++index] ?? "") : word.slice("--settings=".length));
  }
  return { flags, given };
}

function readGiven(text: string, cwd: string): Settings {
  const isFile = !text.trimStart().startsWith("{");
  const path = resolve(cwd, text);
  const settings = isFile ? readSettings(path) : parseSettings(text);
  if (settings !== undefined)
    return anchored(settings, isFile ? [dirname(path), dirname(realpathSync(path))] : [realpathSync(cwd)]);
  throw new UserError("cannot read the settings given with --settings", {
    where: "the flags after --",
    fix: "pass a JSON file or a JSON object",
  });
}

function ourSettings(given: readonly Settings[], project: readonly Settings[], wrapper: string): Settings {
  const last: Settings = Object.assign({}, ...given);
  const rules = [...given, ...project].map((settings) => settings["permissions"]).filter(isRecord);
  const listed = (name: string) => joined(rules.map((permissions) => strings(permissions[name]) ?? []));
  const permissions = isRecord(last["permissions"]) ? last["permissions"] : {};
  const env = isRecord(last["env"]) ? last["env"] : {};
  return {
    ...last,
    disableAllHooks: false,
    // Commands in the text of a skill run without calling any hook.
    disableSkillShellExecution: true,
    env: { ...env, ...Object.fromEntries(EMPTIED.map((name) => [name, ""])) },
    permissions: { ...permissions, deny: listed("deny"), ask: listed("ask") },
    hooks: mergedHooks(given, wrapper),
  };
}

function withExcludes(settings: Settings, excludes: readonly string[]): Settings {
  if (excludes.length === 0) return settings;
  return { ...settings, claudeMdExcludes: [...(strings(settings["claudeMdExcludes"]) ?? []), ...excludes] };
}

/** The rules read commands as bash does, but Claude Code would use SHELL, which may be zsh. */
function inShell(settings: Settings, shell: string | undefined): Settings {
  if (shell === undefined) return settings;
  const env = isRecord(settings["env"]) ? settings["env"] : {};
  return { ...settings, env: { ...env, [SHELL_VARIABLE]: shell } };
}

/** Claude Code keeps the rules of each file apart. Merged into one file, an exception of one would apply to all. */
function joined(lists: readonly (readonly string[])[]): readonly string[] {
  const [only = [], ...others] = lists.filter((list) => list.length > 0);
  if (others.length === 0) return only;
  return [...new Set([only, ...others].flat())].filter((rule) => !EXCEPTION.test(rule));
}

/** Our hooks first, then the person's own. */
function mergedHooks(given: readonly Settings[], wrapper: string): Settings {
  const hooks: Record<string, unknown[]> = {};
  for (const [event, name] of [...Object.entries(claudeDialect.events), ["tool-after", AFTER_FAILURE] as const]) {
    const failure = event === "tool-before" ? { onFailure: "block" } : {};
    // Started without a shell, so that no variable can run another program first.
    const hook = { type: "command", command: wrapper, args: [event], timeout: hookSeconds(event), ...failure };
    hooks[name] = [{ matcher: "*", hooks: [hook] }];
  }
  for (const { hooks: own } of given)
    for (const [name, groups] of Object.entries(isRecord(own) ? own : {}))
      if (Array.isArray(groups)) hooks[name] = [...(hooks[name] ?? []), ...groups];
  return hooks;
}

/**
 * The bash that a launch makes Claude Code use: the rules read commands as bash does, and it would use SHELL otherwise.
 * Undefined when the system has none that it would accept, or an administrator has chosen another shell.
 */
export function claudeShell(workspace: string, root = "/"): string | undefined {
  const bash = systemProgram("bash");
  if (bash === undefined || !isExecutable(bash) || isInside(realpathSync(bash), workspace)) return undefined;
  const chosen = claudeManagedSettings(root).some(({ settings }) => {
    const { env } = settings;
    return isRecord(env) && env[SHELL_VARIABLE] !== undefined;
  });
  return chosen ? undefined : bash;
}

/** The settings of a contained start. In a launch's settings, this overrides the user's. */
export function withoutSandbox(settings: Settings): Settings {
  const sandbox = isRecord(settings["sandbox"]) ? settings["sandbox"] : {};
  return { ...settings, sandbox: { ...sandbox, enabled: false } };
}

/**
 * Asks Claude Code itself whether it accepts settings into which the person's own are merged. A single value that it does
 * not understand makes it silently ignore the whole file, including our hooks.
 */
export async function verifyClaude(parts: InstallParts, settings: Settings): Promise<void> {
  const folder = mkdtempSync(join(parts.folder, "asked-"));
  const marker = join(folder, "taken");
  const file = join(folder, "settings.json");
  writeFileSync(file, JSON.stringify(probe(settings, marker)), { mode: 0o600 });
  // A separate home, so that the person's hooks do not run twice.
  const home = { HOME: folder, CLAUDE_CONFIG_DIR: folder, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
  const child = spawn(parts.binary, ["--init-only", "--settings", file], {
    cwd: folder,
    env: { ...parts.env, ...home },
    stdio: "ignore",
    timeout: MILLISECONDS,
    killSignal: "SIGKILL",
  });
  await once(child, "close").catch(() => {});
  if (existsSync(marker)) return;
  throw new UserError("Claude Code rejects your settings, and would ignore our hooks with them", {
    where: "--settings",
    fix: "look for a key with a value that Claude Code does not accept, or remove --settings",
    exitCode: EXIT.refused,
  });
}

/** The same settings, but all hooks wait for a tool call that never comes, and one more creates a file at the start. */
function probe(settings: Settings, marker: string): Settings {
  const groups = isRecord(settings["hooks"]) ? Object.values(settings["hooks"]).flat() : [];
  const hook = { type: "command", command: systemProgram("touch") ?? "touch", args: [marker] };
  return { ...settings, hooks: { PreToolUse: groups, SessionStart: [{ matcher: "*", hooks: [hook] }] } };
}
