import { existsSync, writeFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { isRecord, strings } from "../../lib/is-record.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { UserError } from "../../lib/user-error.ts";
import { claude as dialect } from "../dialects/claude.ts";
import { type Arm, type ArmParts, AGENT_SECONDS } from "./arm.ts";
import { disarmed, isFlag } from "./disarmed.ts";

type Settings = Readonly<Record<string, unknown>>;

/** Each of these starts Claude Code without hooks, ours included. */
const DISARMING_FLAGS = ["--bare", "--safe-mode"];
/** The same as variables. Where the user's settings set them, ours set them to nothing. */
const DISARMING_VARIABLES = ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"];
const MOST_SETTINGS = 4 * 1024 * 1024;

/**
 * One settings file of ours, given last. The repository's own settings are left out unless they are trusted: in print
 * mode Claude Code would run a strange repository's hooks without a question. Its deny and ask rules stay.
 */
export const armClaude: Arm = (parts) => {
  const bad = parts.flags.find((word) => DISARMING_FLAGS.some((flag) => isFlag(word, flag)));
  if (bad !== undefined) throw disarmed(bad, "the flags after --");
  const variable = DISARMING_VARIABLES.find((name) => (parts.env[name] ?? "") !== "");
  if (variable !== undefined) throw disarmed(variable, "the environment");
  const { flags, given } = takeSettings(parts.flags);
  const project = projectSettings(parts);
  const settings = given.map((text) => readGiven(text, parts.cwd));
  const file = join(parts.folder, "claude-settings.json");
  writeFileSync(file, JSON.stringify(ourSettings(settings, project.left, parts.wrapper)), { mode: 0o600 });
  const sources = ["user", ...project.trusted].join(",");
  return { flags: ["--setting-sources", sources, "--settings", file, ...flags], env: parts.env };
};

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
    if (isFlag(word, "--setting-sources"))
      throw disarmed(
        "--setting-sources",
        "the flags after --",
        "leave it away: signalbox leaves out settings of the repository that you do not trust; signalbox trust takes them in",
      );
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

/** The repository's settings: those that the user trusts by name of their source, the rules of the others. */
function projectSettings({ workspace, trusts, warn }: ArmParts) {
  const trusted: string[] = [];
  const left: Settings[] = [];
  for (const [source, name] of [
    ["project", "settings.json"],
    ["local", "settings.local.json"],
  ] as const) {
    const path = join(workspace, ".claude", name);
    if (!existsSync(path)) continue;
    const text = textOf(path);
    if (text !== undefined && trusts(path, text)) trusted.push(source);
    else {
      warn(
        `.claude/${name} of this repository is not trusted: only its deny and ask rules count; read it, then: signalbox trust`,
      );
      left.push(parsed(text));
    }
  }
  return { trusted, left };
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

function ourSettings(given: readonly Settings[], left: readonly Settings[], wrapper: string): Settings {
  const last: Settings = Object.assign({}, ...given);
  const rules = [...given, ...left].map((settings) => settings["permissions"]).filter(isRecord);
  const listed = (name: string) => [...new Set(rules.flatMap((permissions) => strings(permissions[name]) ?? []))];
  const permissions = isRecord(last["permissions"]) ? last["permissions"] : {};
  const env = isRecord(last["env"]) ? last["env"] : {};
  return {
    ...last,
    disableAllHooks: false,
    env: { ...env, ...Object.fromEntries(DISARMING_VARIABLES.map((name) => [name, ""])) },
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
