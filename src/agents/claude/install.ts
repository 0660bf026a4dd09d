import { realpathSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { AgentInstall, InstallParts } from "../../contract/agent-install.ts";
import { unsettableNames } from "../../lib/dangerous-variables.ts";
import { isRecord, strings } from "../../lib/is-record.ts";
import { UserError } from "../../lib/user-error.ts";
import { HOOK_SECONDS } from "../install/hook-seconds.ts";
import { refuseManaged } from "../install/managed-settings.ts";
import { parseSettings, readSettings } from "../install/read-settings.ts";
import { isFlag, refuseSwitchOff } from "../install/refuse-switch-off.ts";
import { refuseWords } from "../install/refuse-words.ts";
import { anchored } from "./anchored-rules.ts";
import { claudeDialect } from "./dialect.ts";
import { claudeInstructions } from "./instructions.ts";
import { claudeManaged } from "./managed.ts";
import { claudeRule } from "./own-rules.ts";
import { claude as agent } from "./program.ts";
import { leaveOut, trustedFilesOf } from "./project.ts";
import { ownServers } from "./servers.ts";
import { claudeShell, SHELL_VARIABLE } from "./shell.ts";
import { verifyClaude } from "./verify.ts";

type Settings = Readonly<Record<string, unknown>>;

const REFUSED = {
  agent,
  folders: ["--project-config-root"],
  flags: [
    "--bare",
    "--safe-mode",
    "--bg",
    "--background",
    "--cloud",
    "--environment",
    "--pool",
    "--remote",
    "--teleport",
    "--remote-control",
    "--rc",
    "--desktop",
    "--tmux",
    "--handle-uri",
    "--managed-settings",
    "--managed-settings-in-initialize",
  ],
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
const MAX_SETTINGS = 4 * 1024 * 1024;
/** Set to nothing in our settings, which win over the user's and the environment: each reaches the hook, or skips it. */
const EMPTIED = [
  ...REFUSED.variables,
  "CLAUDE_CODE_SHELL_PREFIX",
  ...unsettableNames({ kinds: ["preload"], programs: ["linker", "shell", "node"] }),
  ...unsettableNames({ kinds: ["search"], programs: ["linker"] }),
];

/**
 * One settings file of ours. Without a person, Claude Code would run a strange repository's hooks and servers without a
 * question, also those that come in the middle of a session; so there its settings are left out unless all that counts
 * is trusted. Its deny and ask rules stay.
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
  const settings = inShell(merged, claudeShell(parts.workspace));
  if (own.length > 0) await verifyClaude(parts, settings);
  const file = join(parts.folder, "claude-settings.json");
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
  // The last of ours takes one value and no more, so that nothing of the person's is taken for ours.
  const sources = leftOut ? ["--setting-sources", "user", ...instructions.flags, ...keptServers(parts)] : [];
  // CLAUDE.md is text, not code: it stays, though the folder's settings are left out.
  const env = leftOut ? { ...parts.env, CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1" } : parts.env;
  // First, because a flag of the person's that lacks its value would take ours for it.
  return { flags: [...sources, "--settings", file, ...flags], env };
};

export const claudeInstall: AgentInstall = {
  install,
  factsOf: (start) => ({
    shell: claudeShell(start.workspace) === undefined ? undefined : "bash",
    trustedFiles: start.interactive ? undefined : trustedFilesOf(start),
  }),
  ownRule: claudeRule,
  refusesRewritten: true,
};

/** The person's own servers go with the settings that are left out; unless he wants only those that he names. */
function keptServers(parts: InstallParts): readonly string[] {
  const mcpServers = parts.flags.includes("--strict-mcp-config") ? {} : ownServers(parts);
  if (Object.keys(mcpServers).length === 0) return [];
  const file = join(parts.folder, "claude-servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers }), { mode: 0o600 });
  return ["--mcp-config", file];
}

/**
 * Claude Code reads only the last `--settings`, so the person's own are taken out and merged into ours. Wherever they
 * stand: a `--` may be the value of another flag. What a repository's settings may do is ours to decide.
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
        "leave it away: settings of a repository that you do not trust are left out already",
      );
    if (!isFlag(word, "--settings")) flags.push(word);
    else given.push(word === "--settings" ? (words[++index] ?? "") : word.slice("--settings=".length));
  }
  return { flags, given };
}

function readGiven(text: string, cwd: string): Settings {
  const isFile = !text.trimStart().startsWith("{");
  const path = resolve(cwd, text);
  const settings = isFile ? readSettings(path, MAX_SETTINGS) : parseSettings(text);
  if (settings !== undefined)
    return anchored(settings, isFile ? [dirname(path), dirname(realpathSync(path))] : [realpathSync(cwd)]);
  throw new UserError("--settings holds no settings that can be read", {
    where: "the flags after --",
    fix: "give a JSON file or a JSON object",
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
    // Commands in the text of a skill run without a word to any hook.
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

/** Claude Code would follow SHELL, which may be zsh; the rules read commands as bash does. */
function inShell(settings: Settings, shell: string | undefined): Settings {
  if (shell === undefined) return settings;
  const env = isRecord(settings["env"]) ? settings["env"] : {};
  return { ...settings, env: { ...env, [SHELL_VARIABLE]: shell } };
}

/** An exception of a path, as `Read(!x)`. In a command, `!` is a word of the shell. */
const EXCEPTION = /^(?!Bash|PowerShell)[^(]*\((?:\.\/)?!/;

/** Claude Code keeps the rules of each file apart: in one file, an exception of one would count against all. */
function joined(lists: readonly (readonly string[])[]): readonly string[] {
  const [only = [], ...others] = lists.filter((list) => list.length > 0);
  if (others.length === 0) return only;
  return [...new Set([only, ...others].flat())].filter((rule) => !EXCEPTION.test(rule));
}

/** Ours first, and the person's own beside them. */
function mergedHooks(given: readonly Settings[], wrapper: string): Settings {
  const hooks: Record<string, unknown[]> = {};
  for (const [event, name] of Object.entries(claudeDialect.events)) {
    const failure = event === "tool-before" ? { onFailure: "block" } : {};
    // Without a shell in between, no variable can put a program before ours.
    const hook = { type: "command", command: wrapper, args: [event], timeout: HOOK_SECONDS, ...failure };
    hooks[name] = [{ matcher: "*", hooks: [hook] }];
  }
  for (const { hooks: own } of given)
    for (const [name, groups] of Object.entries(isRecord(own) ? own : {}))
      if (Array.isArray(groups)) hooks[name] = [...(hooks[name] ?? []), ...groups];
  return hooks;
}
