import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { COPILOT_DENY_FLAGS } from "../copilot-denies.ts";
import type { ArmParts } from "./arm.ts";
import { claudeManagedSettings } from "./claude-managed.ts";
import { isFlag } from "./disarmed.ts";
import { foldersUp } from "./folders-up.ts";
import { parseSettings, readSettings } from "./read-settings.ts";

/** A rule of the agent's own that keeps commands back, and where it stands. */
export interface OwnRule {
  readonly rule: string;
  readonly where: string;
}

type Start = Pick<ArmParts, "flags" | "env" | "cwd" | "workspace">;
type Settings = Readonly<Record<string, unknown>>;

const MAX_BYTES = 4 * 1024 * 1024;

/**
 * The first deny or ask rule of the agent's own that looks at the text of commands: a rewritten command would pass it by.
 * Whatever cannot be read for certain counts as one.
 */
export function ownRule(agent: string, start: Start, root = "/"): OwnRule | undefined {
  if (agent === "claude") return claudeRule(start, root);
  if (agent === "codex") return codexRule(start, root);
  return agent === "copilot" ? copilotRule(start) : undefined;
}

const homeOf = (env: NodeJS.ProcessEnv) => env["HOME"] ?? homedir();

/** Rules about these look at no command. Those about files do: Claude Code holds them against `cat` too. */
const NO_COMMAND = /^(?:mcp__|WebFetch|WebSearch|Agent|Task|Skill|NotebookEdit)/;

function claudeRule({ flags, env, cwd, workspace }: Start, root: string): OwnRule | undefined {
  const user = join(env["CLAUDE_CONFIG_DIR"] ?? join(homeOf(env), ".claude"), "settings.json");
  const project = foldersUp(cwd, workspace).flatMap((folder) =>
    ["settings.json", "settings.local.json"].map((name) => join(folder, ".claude", name)),
  );
  const sources = [
    ...claudeManagedSettings(root).map(({ file, settings }) => ({ where: file, settings })),
    ...[user, ...project].map((where) => ({ where, settings: readSettings(where, MAX_BYTES) })),
    ...flagValues(flags, ["--settings"]).map((value) => ({ where: "--settings", settings: settingsIn(value, cwd) })),
  ];
  for (const { where, settings } of sources) {
    const rule = rulesOf(settings).find((text) => !NO_COMMAND.test(text));
    if (rule !== undefined) return { rule, where };
  }
  const flag = flagValues(flags, ["--disallowedTools", "--disallowed-tools"]).find((rule) => !NO_COMMAND.test(rule));
  return flag === undefined ? undefined : { rule: flag, where: "--disallowedTools" };
}

function settingsIn(value: string, cwd: string): Settings | undefined {
  return value.trimStart().startsWith("{") ? parseSettings(value) : readSettings(resolve(cwd, value), MAX_BYTES);
}

function rulesOf(settings: Settings | undefined): readonly string[] {
  const permissions = settings?.["permissions"];
  if (!isRecord(permissions)) return [];
  return [permissions["deny"], permissions["ask"]].flatMap((list: unknown) =>
    Array.isArray(list) ? list.filter((rule) => typeof rule === "string") : [],
  );
}

/** The values of a flag, as `--flag=value` or in the words behind it. */
function flagValues(flags: readonly string[], names: readonly string[]): readonly string[] {
  return flags.flatMap((word, index) => {
    const name = names.find((one) => isFlag(word, one));
    if (name === undefined) return [];
    if (word !== name) return [word.slice(name.length + 1)];
    const end = flags.findIndex((next, at) => at > index && next.startsWith("-"));
    return flags.slice(index + 1, end === -1 ? undefined : end);
  });
}

function codexRule({ flags, env, cwd, workspace }: Start, root: string): OwnRule | undefined {
  const home = env["CODEX_HOME"] ?? join(homeOf(env), ".codex");
  const own = [home, ...foldersUp(cwd, workspace).map((folder) => join(folder, ".codex"))];
  const folders = [...(flags.includes("--ignore-rules") ? [] : own), join(root, "etc/codex")];
  const files = folders.flatMap((folder) => rulesBelow(join(folder, "rules")));
  for (const where of [...files, join(root, "etc/codex/requirements.toml")]) {
    const rule = strictLine(textOf(where));
    if (rule !== undefined) return { rule, where };
  }
  return undefined;
}

function rulesBelow(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return names.filter((name) => name.endsWith(".rules")).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The line that forbids or asks, or whose decision is computed. Rules are a program: only a plain `allow` is certain. */
function strictLine(text: string): string | undefined {
  const lines = text.split("\n").map((line) => line.replace(/^\s*#.*/, "").trim());
  return lines.find(
    (line) => /forbidden|prompt/.test(line) || /\bdecision\s*=(?!\s*"allow"\s*[,)]|\s*"allow"\s*$)/.test(line),
  );
}

function textOf(path: string): string {
  try {
    return readBounded(path, MAX_BYTES).bytes.toString("utf8");
  } catch {
    // The agent, which runs as the same user, cannot read it either.
    return "";
  }
}

/** Copilot takes rules that deny from its command line, and addresses from its settings. */
function copilotRule({ flags, env }: Start): OwnRule | undefined {
  const flag = flags.find((word) => COPILOT_DENY_FLAGS.some((one) => isFlag(word, one)));
  if (flag !== undefined) {
    const [value = ""] = flagValues(flags, COPILOT_DENY_FLAGS);
    return { rule: value, where: flag.split("=")[0] ?? flag };
  }
  const where = join(env["COPILOT_HOME"] ?? join(homeOf(env), ".copilot"), "settings.json");
  const denied: unknown = readSettings(where, MAX_BYTES)?.["deniedUrls"];
  const [url] = Array.isArray(denied) ? denied : [];
  return url === undefined ? undefined : { rule: `deniedUrls ${String(url)}`, where };
}
