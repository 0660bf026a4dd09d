import { dirname, join, resolve } from "node:path";
import type { AgentInstall, PlainStart } from "../../contract/agent-install.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import type { OwnPattern, OwnRule, OwnRules } from "../../contract/own-rules.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { hookEntries } from "../install/hook-entries.ts";
import { homeOf, parseSettings, readSettings } from "../install/read-settings.ts";
import { flagValues } from "../install/refuse.ts";
import { foldersUp } from "../install/walk-folders.ts";
import {
  collected,
  type CollectedRules,
  lineOf,
  noRules,
  splitRules,
  type WatchedFiles,
  watchedFiles,
} from "../install/watched-files.ts";
import { claudeDialect } from "./hooks.ts";
import { MANAGED_FOLDERS } from "./settings.ts";

/** One place that Claude Code takes rules from. */
interface Source {
  readonly where: string;
  readonly text: string;
  /** Folders that `/x` in its rules may start from. */
  readonly anchors: readonly string[];
  /** A file of the repository. It can add denials and questions, but must not be able to switch anything off. */
  readonly foreign?: boolean;
}

/** Claude Code's lists add up over all sources, so every source is read, even those that a launch leaves out. */
export const claudeOwnRules: AgentInstall["readOwnRules"] = (start, root = "/"): OwnRules => {
  const { flags, cwd, workspace } = start;
  const files = watchedFiles();
  const rules = noRules();
  for (const source of [...ownSources(start, root, files), ...projectSources(cwd, workspace, files)])
    readSource(source, cwd, rules);
  for (const [list, names] of Object.entries(FLAGS))
    for (const rule of flagValues(flags, names).flatMap(splitRules))
      addRule({ rule, where: names[0] ?? "" }, list === "deny" ? "deny" : "allow", { cwd, anchors: [cwd], rules });
  return collected(rules, files);
};

const FLAGS = {
  deny: ["--disallowedTools", "--disallowed-tools"],
  allow: ["--allowedTools", "--allowed-tools"],
};

function ownSources({ flags, env, cwd }: PlainStart, root: string, files: WatchedFiles): readonly Source[] {
  const folder = env["CLAUDE_CONFIG_DIR"] ?? join(homeOf(env), ".claude");
  const managed = MANAGED_FOLDERS.flatMap((place) => [
    join(root, place, "managed-settings.json"),
    ...files.below(join(root, place, "managed-settings.d"), ".json"),
  ]);
  const given = settingsFlags(flags);
  const inline = given.filter((value) => value.trimStart().startsWith("{"));
  const named = given.filter((value) => !inline.includes(value)).map((value) => resolve(cwd, value));
  const own = [...managed, join(folder, "remote-settings.json"), join(folder, "settings.json"), ...named];
  return [
    ...own.flatMap((path) => sourceOf(path, [cwd, dirname(path), dirname(dirname(path))], files)),
    ...inline.map((text) => ({ where: "--settings", text, anchors: [cwd] })),
  ];
}

/** `--settings` takes exactly one value. */
function settingsFlags(flags: readonly string[]): readonly string[] {
  return flags.flatMap((word, index) => {
    if (word === "--settings") return flags[index + 1] ?? [];
    return word.startsWith("--settings=") ? word.slice("--settings=".length) : [];
  });
}

function projectSources(cwd: string, workspace: string, files: WatchedFiles): readonly Source[] {
  return foldersUp(cwd, workspace).flatMap((folder) =>
    ["settings.json", "settings.local.json"].flatMap((name) =>
      sourceOf(join(folder, ".claude", name), [cwd, folder], files).map((source) => ({ ...source, foreign: true })),
    ),
  );
}

function sourceOf(where: string, anchors: readonly string[], files: WatchedFiles): readonly Source[] {
  const content = files.read(where);
  return content === undefined ? [] : [{ where, text: content.text ?? UNREAD, anchors }];
}

/** Stands for a file whose content was not read. It is not JSON, so the file counts as unreadable. */
const UNREAD = "?";

function readSource({ where, text, anchors, foreign = false }: Source, cwd: string, rules: CollectedRules): void {
  if (text.trim() === "") return;
  const settings = parseSettings(text);
  if (settings === undefined) {
    // Claude Code ignores a file that is not JSON, so one of the repository has no rules.
    if (!foreign) rules.unreadable.push({ rule: "settings that are not a JSON object", where });
    return;
  }
  const { permissions = {} } = settings;
  for (const list of ["deny", "ask", "allow"] as const) {
    const given: unknown = isRecord(permissions) ? permissions[list] : "no list";
    if (given === undefined || (foreign && list === "allow")) continue;
    if (!Array.isArray(given) && !foreign) rules.unreadable.push({ rule: `permissions.${list} is not a list`, where });
    // Claude Code drops what is not a string.
    for (const rule of Array.isArray(given) ? given.filter((one) => typeof one === "string") : []) {
      const at = { rule, where: lineOf(where, text, JSON.stringify(rule)) };
      addRule(at, list, { cwd, anchors, rules, foreign });
    }
  }
}

interface Adding {
  readonly cwd: string;
  readonly anchors: readonly string[];
  readonly rules: CollectedRules;
  readonly foreign?: boolean;
}

function addRule(at: OwnRule, list: "deny" | "ask" | "allow", { cwd, anchors, rules, foreign = false }: Adding): void {
  const patterns = claudePatterns(at.rule, { cwd, anchors });
  if (patterns !== undefined) {
    if (patterns.length > 0) rules[list].push({ ...at, patterns });
  } else if (foreign) rules.ask.push({ ...at, patterns: [{ kind: "any" }] });
  else if (list !== "allow") rules.unreadable.push(at);
}

interface Bases {
  readonly cwd: string;
  /** Folders that `/x` in a rule may start from. */
  readonly anchors: readonly string[];
}

const SHELL_TOOLS = ["Bash", "PowerShell", "Monitor"];

const READ_TOOLS = ["Read", "Grep", "Glob", "LS"];

const WRITE_TOOLS = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

/** Claude Code can match a field of the input instead of the command. */
const FIELD = /^(?:command|description|timeout|run_in_background|dangerouslyDisableSandbox):(?!\*$)/;

/**
 * What one of Claude Code's rules matches in a command. Empty for rules about other tools, whose calls Claude Code itself
 * still judges; undefined for a rule that we cannot read.
 */
export function claudePatterns(rule: string, bases: Bases): readonly OwnPattern[] | undefined {
  if (rule === "*") return [{ kind: "any" }];
  const [, tool = "", spec] = /^\s*([\w*.-]+)\s*(?:\(([\s\S]*)\)\s*)?$/.exec(rule) ?? [];
  if (tool === "") return undefined;
  if (SHELL_TOOLS.includes(tool)) return commandPatterns(spec?.trim() ?? "*");
  // Claude Code also holds rules about files against commands such as `cat`. Without a path they only name the tool.
  if (spec === undefined || spec.startsWith("!")) return [];
  if (READ_TOOLS.includes(tool)) return [{ kind: "path", access: "read", globs: pathGlobs(spec.trim(), bases) }];
  if (WRITE_TOOLS.includes(tool)) return [{ kind: "path", access: "write", globs: pathGlobs(spec.trim(), bases) }];
  return /[*]/.test(tool) && !tool.startsWith("mcp__") ? undefined : [];
}

function commandPatterns(spec: string): readonly OwnPattern[] | undefined {
  if (spec === "" || spec === "*" || spec === ":*") return [{ kind: "any" }];
  if (FIELD.test(spec)) return undefined;
  const text = spec.replace(/:\*$/, " *");
  const prefix = text.endsWith(" *") ? text.slice(0, -2).trim() : undefined;
  const words = prefix?.split(/\s+/) ?? [];
  // The words of a prefix are also found behind options, as in `git -C x push`.
  const plain = words.length > 0 && words.every((word) => /^[\w./@:+=,-]+$/.test(word) && !word.startsWith("-"));
  return [{ kind: "text", text }, ...(plain ? [{ kind: "words" as const, words }] : [])];
}

/** Paths as in a `.gitignore`: `//x` is absolute, `/x` starts at the settings, `./x` and `a/b` at the start folder. */
function pathGlobs(spec: string, { cwd, anchors }: Bases): readonly string[] {
  const path = spec.replace(/(?<=.)\/$/, "");
  if (path.startsWith("//")) return [path.slice(1)];
  if (path.startsWith("/")) return anchors.map((anchor) => join(anchor, path));
  if (path === "~" || path.startsWith("~/") || path.startsWith("**")) return [path];
  const relative = path.replace(/^\.\//, "");
  return relative.includes("/") || path.startsWith("./") ? [join(cwd, relative)] : [`**/${relative}`];
}

const names = (event: HookEventName) => [claudeDialect.events[event]];

/** Only of settings that this start loads: a headless one leaves out those of a repository that is not trusted. */
export const claudeOwnHooks: NonNullable<AgentInstall["ownHooks"]> = (start) => {
  const { flags, env, cwd, interactive, trustedFiles } = start;
  const user = join(env["CLAUDE_CONFIG_DIR"] || join(homeOf(env), ".claude"), "settings.json");
  const given = settingsFlags(flags).map((value) =>
    value.trimStart().startsWith("{") ? parseSettings(value) : readSettings(resolve(cwd, value)),
  );
  const loadsProject = interactive || trustedFiles !== undefined;
  const project = ["settings.json", "settings.local.json"].map((name) => join(cwd, ".claude", name));
  return [
    ...[readSettings(user), ...given].flatMap((settings) => hookEntries(settings, true, names)),
    ...(loadsProject ? project : []).flatMap((path) => hookEntries(readSettings(path), false, names)),
  ];
};
