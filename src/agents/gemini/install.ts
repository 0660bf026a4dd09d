import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textIfReadable } from "../../lib/files/read-file.ts";
import type { AgentInstall, ContainedStart, InstallParts, PlainStart } from "../../contract/agent-install.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { tomlString } from "../../lib/json/toml.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { hookCommand, hookSeconds } from "../install/hook-entries.ts";
import { isFlag, refuseManaged, refuseWords } from "../install/refuse.ts";
import { geminiGiven } from "./given.ts";
import { geminiDialect } from "./hooks.ts";
import { geminiOwnRules } from "./own-rules.ts";
import { geminiEnvironment, makeHome } from "./private-home.ts";
import { gemini as agent } from "./program.ts";
import {
  geminiHome,
  geminiManaged,
  geminiSettings,
  readSettingsOf,
  type Settings,
  tableIn,
  wordsIn,
} from "./settings.ts";

const REFUSED = {
  agent,
  folders: ["--worktree", "-w"],
  // It calls no hooks as a server of an editor.
  flags: ["--acp", "--experimental-acp"],
  commands: [],
  variables: [],
};

/**
 * Gives Gemini a home of its own for this start, with the user's settings and our hooks. It is told to trust the folder
 * only after it has read its settings, so it calls hooks, but loads none of the repository's settings.
 */
const install: AgentInstall["install"] = (parts) => {
  refuseWords(REFUSED, parts);
  refuseManaged(geminiManaged("/"));
  const given = parts.env["GEMINI_CLI_SYSTEM_SETTINGS_PATH"] ?? "";
  if (given !== "") refuseManaged(geminiManaged("/", [given]));
  refuseOwnSandbox(parts);
  const policy = parts.contained === true ? writePolicy(parts) : undefined;
  const settings = ourSettings(readOwn(parts.env), parts);
  const whole = withPolicy(settings, policy, join(parts.folder, HOME, "policies"));
  const home = makeHome(parts.folder, parts.env, whole, extensionFiles(parts));
  return {
    flags: flagsOf(parts.flags, policy, home.extension),
    env: {
      ...geminiEnvironment(parts.env, parts.folder, parts.cwd),
      GEMINI_CLI_HOME: home.home,
      GEMINI_CLI_TRUSTED_FOLDERS_PATH: home.trustedFolders,
    },
    end: home.end,
  };
};

const HOME = "gemini/.gemini";

/** Gemini calls this one before every model call, and not only before it compresses. */
const LEFT_OUT: readonly HookEventName[] = ["compact-before"];

const isSubcommand = (flags: readonly string[]) => agent.subcommands.includes(flags[0] ?? "");

/** Gemini's own sandbox runs all of Gemini in a container, where our hooks cannot be reached. So ours replaces it. */
export const geminiContainedStart: NonNullable<AgentInstall["containedStart"]> = (start): ContainedStart => {
  const source = ownSandbox(start);
  const flags = start.flags.filter((word) => !SANDBOX_FLAG.test(word));
  if (source === undefined) return { by: "signalbox", flags };
  const say = `${source} asks for Gemini's own sandbox, which stays off: its commands run in signalbox's sandbox`;
  return { by: "signalbox", flags, say };
};

const SANDBOX_FLAG = /^(?:-s|--sandbox)(?:=|$)/;

const SWITCHED_OFF = ["", "0", "false"];

const NAME = "NAMEOFSESSION";

export const geminiInstall: AgentInstall = {
  install,
  readOwnRules: geminiOwnRules,
  containedStart: geminiContainedStart,
};

function refuseOwnSandbox(parts: InstallParts): void {
  const source = parts.contained === true ? undefined : ownSandbox(parts);
  if (source === undefined) return;
  throw new UserError("Gemini's own sandbox runs it in a container, where our hooks cannot be reached", {
    where: source,
    fix: "remove it and set sandbox: auto in the policy, or use --unguarded before --",
    exitCode: EXIT.refused,
  });
}

function readOwn(env: NodeJS.ProcessEnv): Settings {
  const file = join(geminiHome(env).folder, "settings.json");
  const text = existsSync(file) ? textIfReadable(file) : "";
  const settings = text === undefined ? undefined : geminiSettings(text);
  if (settings !== undefined) return settings;
  throw new UserError("cannot read your settings of Gemini CLI", {
    where: file,
    fix: "make it a JSON object, or remove the file",
    exitCode: EXIT.refused,
  });
}

/** The user's settings with our hooks first, and without what would switch them off. */
function ourSettings(own: Settings, { wrapper, contained }: InstallParts): Settings {
  const [security, tools, context] = ["security", "tools", "context"].map((name) => tableIn(own, name));
  return {
    ...own,
    hooksConfig: { ...tableIn(own, "hooksConfig"), enabled: true },
    hooks: mergedHooks(tableIn(own, "hooks"), wrapper),
    // Otherwise it would trust every folder, and load the repository's settings.
    security: { ...security, folderTrust: { enabled: true } },
    tools: contained === true ? { ...tools, sandbox: false } : { ...tools },
    context: { ...context, fileName: [...new Set([...instructionFiles(context), "AGENTS.md"])] },
    // The variables of the repository's `.env` are for its own programs.
    advanced: { ...tableIn(own, "advanced"), ignoreLocalEnv: true },
  };
}

function instructionFiles(context: Settings = {}): readonly string[] {
  const { fileName } = context;
  if (typeof fileName === "string") return [fileName];
  const names = wordsIn(context, "fileName");
  return names.length === 0 ? ["GEMINI.md"] : names;
}

function mergedHooks(own: Settings, wrapper: string): Settings {
  const hooks: Record<string, unknown> = { ...own };
  for (const [event, name] of Object.entries(geminiDialect.events)) {
    if (LEFT_OUT.some((one) => one === event)) continue;
    const hook = {
      type: "command",
      // Nobody can have switched off a hook of this name.
      name: `signalbox-${randomId()}`,
      command: hookCommand(event, wrapper),
      timeout: hookSeconds(event) * 1000,
    };
    const others = Array.isArray(own[name]) ? own[name] : [];
    hooks[name] = [{ hooks: [hook] }, ...others];
  }
  return hooks;
}

function extensionFiles(parts: InstallParts): Readonly<Record<string, string>> {
  if (isSubcommand(parts.flags)) return {};
  const files = geminiGiven(parts.given, parts);
  const limit = readSettingsOf(parts.env).find(
    ({ settings }) => wordsIn(tableIn(settings, "security"), "allowedExtensions").length > 0,
  );
  if (limit === undefined || Object.keys(files).length === 0) return files;
  // Gemini does not start with an extension that has no record of where it was installed from.
  parts.warn(
    `Gemini CLI gets nothing from .signalbox, because security.allowedExtensions in ${limit.file} keeps out our extension; remove it there to give them`,
  );
  return {};
}

function writePolicy({ folder, home }: InstallParts): string {
  const file = join(folder, "gemini-policy.toml");
  writeFileSync(file, containedPolicy(home), { mode: 0o600 });
  return file;
}

/** Named rules replace those in the user's folder, so that folder is named too. */
function withPolicy(settings: Settings, policy: string | undefined, folder: string): Settings {
  if (policy === undefined) return settings;
  const named = wordsIn(settings, "policyPaths");
  return { ...settings, policyPaths: [...(named.length === 0 ? [folder] : named), policy] };
}

/** First, because a flag of the user's that takes several words would swallow ours. A sub-command gets none. */
function flagsOf(flags: readonly string[], policy?: string, extension?: string): readonly string[] {
  if (isSubcommand(flags)) return flags;
  const isGiven = (...names: readonly string[]) => flags.some((word) => names.some((name) => isFlag(word, name)));
  return [
    "--skip-trust",
    ...(policy !== undefined && isGiven("--policy") ? [`--policy=${policy}`] : []),
    // Who names extensions gets no others.
    ...(extension !== undefined && isGiven("--extensions", "-e") ? [`--extensions=${extension}`] : []),
    ...flags,
  ];
}

/** What asks for Gemini's own sandbox; undefined when nothing does. */
export function ownSandbox({ flags, env }: PlainStart): string | undefined {
  if (flags.some((word) => SANDBOX_FLAG.test(word) && !word.endsWith("=false"))) return "--sandbox";
  if (!SWITCHED_OFF.includes((env["GEMINI_SANDBOX"] ?? "").toLowerCase().trim())) return "GEMINI_SANDBOX";
  const found = readSettingsOf(env).find(({ settings }) => {
    const { sandbox = false } = tableIn(settings, "tools");
    return sandbox !== false && !SWITCHED_OFF.some((word) => word === sandbox);
  });
  return found === undefined ? undefined : `tools.sandbox in ${found.file}`;
}

/**
 * A rule for a contained start: commands that our hook has rewritten to run in the sandbox run unasked. The user's own
 * rules were held on the command as it was. The `!{...}` of a command file, which calls no hook, is not covered.
 */
export function containedPolicy(signalboxHome: string): string {
  const program = `${shQuote(join(signalboxHome, "s", NAME, "sandbox"))} `;
  const text = JSON.stringify(program).slice(1, -1);
  const pattern = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replace(NAME, "[0-9a-f]{6}");
  return [
    "[[rule]]",
    'toolName = "run_shell_command"',
    'decision = "allow"',
    // Above the user's own rules, which would only see the rewritten text; below an administrator's.
    "priority = 999",
    `commandRegex = ${tomlString(pattern)}`,
    "allowRedirection = true",
    "",
  ].join("\n");
}
