import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { isRecord, strings } from "../../lib/is-record.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { UserError } from "../../lib/user-error.ts";
import { claude as dialect } from "../dialects/claude.ts";
import { type Arm, type ArmParts, AGENT_SECONDS } from "./arm.ts";
import { disarmed, isFlag } from "./disarmed.ts";
import { refuseWords } from "./refused-words.ts";

type Settings = Readonly<Record<string, unknown>>;

const REFUSED = {
  flags: ["--bare", "--safe-mode", "--bg", "--cloud", "--remote", "--teleport", "--remote-control", "--desktop"],
  commands: ["mcp serve", "agents", "attach", "respawn", "ultrareview", "gateway"],
  variables: ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"],
};
const MOST_SETTINGS = 4 * 1024 * 1024;
/** Set to nothing in our settings, which win over the user's and the environment: each reaches the hook, or skips it. */
const EMPTIED = [
  ...REFUSED.variables,
  "CLAUDE_CODE_SHELL_PREFIX",
  "LD_PRELOAD",
  "LD_AUDIT",
  "LD_LIBRARY_PATH",
  "BASH_ENV",
  "ENV",
  "NODE_OPTIONS",
];

/**
 * One settings file of ours, given last. Without a person, Claude Code would run a strange repository's hooks and
 * servers without a question; so there its settings are left out unless they are trusted. Its deny and ask rules stay.
 */
export const armClaude: Arm = (parts) => {
  refuseWords(REFUSED, parts);
  refuseManaged();
  const { flags, given } = takeSettings(parts.flags);
  const project = projectSettings(parts);
  const settings = given.map((text) => readGiven(text, parts.cwd));
  const file = join(parts.folder, "claude-settings.json");
  writeFileSync(file, JSON.stringify(ourSettings(settings, project.rules, parts.wrapper)), { mode: 0o600 });
  const sources = project.leftOut ? ["--setting-sources", "user", "--add-dir", parts.workspace] : [];
  // CLAUDE.md is text, not code: it stays, though the folder's settings are left out.
  const env = project.leftOut ? { ...parts.env, CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1" } : parts.env;
  return { flags: beforePrompt(flags, [...sources, "--settings", file]), env };
};

/** Ours come last of the flags, because the last one counts. */
const beforePrompt = (flags: readonly string[], ours: readonly string[]) =>
  flags.includes("--") ? flags.toSpliced(flags.indexOf("--"), 0, ...ours) : [...flags, ...ours];

const MANAGED = [
  "/etc/claude-code/managed-settings.json",
  "/Library/Application Support/ClaudeCode/managed-settings.json",
];

/** An administrator's settings stand over ours. */
function refuseManaged(): void {
  const file = MANAGED.find((path) =>
    /"(?:disableAllHooks|allowManagedHooksOnly)"\s*:\s*true/.test(textOf(path) ?? ""),
  );
  if (file !== undefined)
    throw disarmed(
      "this machine's managed settings",
      file,
      "ask its administrator to allow hooks of users, or say --unguarded",
    );
}

/** Claude Code reads only the last `--settings`, so the person's own are taken out and merged into ours. */
function takeSettings(words: readonly string[]): {
  readonly flags: readonly string[];
  readonly given: readonly string[];
} {
  const flags: string[] = [];
  const given: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "--") return { flags: [...flags, ...words.slice(index)], given };
    if (!isFlag(word, "--settings")) flags.push(word);
    else given.push(word === "--settings" ? (words[++index] ?? "") : word.slice("--settings=".length));
  }
  return { flags, given };
}

function readGiven(text: string, cwd: string): Settings {
  try {
    const path = isAbsolute(text) ? text : resolve(cwd, text);
    const content = text.trimStart().startsWith("{") ? text : readBounded(path, MOST_SETTINGS).bytes.toString("utf8");
    const value: unknown = JSON.parse(content);
    if (isRecord(value)) return value;
  } catch {
    // Said below.
  }
  throw new UserError("--settings holds no settings that can be read", {
    where: "the flags after --",
    fix: "give a JSON file or a JSON object",
  });
}

interface ProjectSettings {
  readonly leftOut: boolean;
  /** Settings whose deny and ask rules count all the same. */
  readonly rules: readonly Settings[];
}

/** Files of a repository with which Claude Code starts programs. */
export const STARTING = [".claude/settings.json", ".claude/settings.local.json", ".mcp.json"];

function projectSettings({ workspace, trusts, warn, interactive }: ArmParts): ProjectSettings {
  if (interactive) return { leftOut: false, rules: [] };
  const present = STARTING.map((name) => ({ name, path: join(workspace, name) })).filter(({ path }) =>
    existsSync(path),
  );
  const unknown = present.filter(({ path }) => {
    const text = textOf(path);
    return text === undefined || !trusts(path, text);
  });
  const reasons = [...unknown.map(({ name }) => name), ...skillsWithHooks(workspace)];
  if (reasons.length === 0) return { leftOut: false, rules: [] };
  warn(
    `${reasons.join(", ")} of this repository may start programs and is not trusted: Claude Code gets its CLAUDE.md and its deny and ask rules, but none of its hooks, servers, skills and agents; read it, then: signalbox trust`,
  );
  return { leftOut: true, rules: present.map(({ path }) => parsed(textOf(path))) };
}

/** Skills may bring hooks of their own in their first lines. */
function skillsWithHooks(workspace: string): readonly string[] {
  const skills = ".claude/skills";
  if (!existsSync(join(workspace, skills))) return [];
  return readdirSync(join(workspace, skills))
    .map((name) => `${skills}/${name}/SKILL.md`)
    .filter((path) => /^hooks\s*:/m.test(textOf(join(workspace, path)) ?? ""));
}

function textOf(path: string): string | undefined {
  try {
    return readBounded(path, MOST_SETTINGS).bytes.toString("utf8");
  } catch {
    return undefined;
  }
}

function parsed(text: string | undefined): Settings {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isRecord(value) ? value : {};
  } catch {
    // Claude Code itself ignores a settings file that it cannot read.
    return {};
  }
}

function ourSettings(given: readonly Settings[], project: readonly Settings[], wrapper: string): Settings {
  const last: Settings = Object.assign({}, ...given);
  const rules = [...given, ...project].map((settings) => settings["permissions"]).filter(isRecord);
  const listed = (name: string) => [...new Set(rules.flatMap((permissions) => strings(permissions[name]) ?? []))];
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

/** Ours first, and the person's own beside them. */
function mergedHooks(given: readonly Settings[], wrapper: string): Settings {
  const hooks: Record<string, unknown[]> = {};
  for (const [event, name] of Object.entries(dialect.events)) {
    const failure = event === "tool-before" ? { onFailure: "block" } : {};
    // Without a shell in between, no variable can put a program before ours.
    const hook = { type: "command", command: wrapper, args: [event], timeout: AGENT_SECONDS, ...failure };
    hooks[name] = [{ matcher: "*", hooks: [hook] }];
  }
  for (const { hooks: own } of given)
    for (const [name, groups] of Object.entries(isRecord(own) ? own : {}))
      if (Array.isArray(groups)) hooks[name] = [...(hooks[name] ?? []), ...groups];
  return hooks;
}
