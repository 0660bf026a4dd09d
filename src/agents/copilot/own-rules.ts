import { join } from "node:path";
import { namesIn } from "../../lib/files/folder-tree.ts";
import { textIfReadable } from "../../lib/files/read-file.ts";
import type { AgentInstall } from "../../contract/agent-install.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import type { OwnPattern, OwnRule, OwnRules } from "../../contract/own-rules.ts";
import { strings } from "../../lib/json/json-value.ts";
import { isInside } from "../../lib/path/inside.ts";
import { claudeDialect } from "../claude/hooks.ts";
import { hookEntries } from "../install/hook-entries.ts";
import { homeOf, parseSettings, readSettings } from "../install/read-settings.ts";
import { flagValues, isFlag } from "../install/refuse.ts";
import { collected, lineOf, noRules, splitRules, watchedFiles } from "../install/watched-files.ts";
import { copilotDialect } from "./hooks.ts";

/** Copilot takes deny rules from its command line, and denied addresses also from its settings. It has no ask rules. */
export const copilotOwnRules: AgentInstall["readOwnRules"] = ({ flags, env }): OwnRules => {
  const files = watchedFiles();
  const rules = noRules();
  const { deny, unreadable } = rules;
  const add = (at: OwnRule, patterns: readonly OwnPattern[] | undefined) => {
    if (patterns === undefined) unreadable.push(at);
    else if (patterns.length > 0) deny.push({ ...at, patterns });
  };
  for (const rule of flagValues(flags, ["--deny-tool"]).flatMap(splitRules))
    add({ rule, where: "--deny-tool" }, toolPatterns(rule));
  for (const rule of flagValues(flags, ["--deny-url"]).flatMap(splitRules))
    add({ rule, where: "--deny-url" }, hostPatterns(rule));
  const home = env["COPILOT_HOME"] ?? join(homeOf(env), ".copilot");
  for (const file of ["settings.json", "config.json"].map((name) => join(home, name))) {
    const content = files.read(file);
    if (content === undefined || content.text?.trim() === "") continue;
    const settings = parseSettings(withoutComments(content.text ?? ""));
    if (settings === undefined) unreadable.push({ rule: "settings that are not a JSON object", where: file });
    const denied: unknown = settings?.["deniedUrls"] ?? [];
    for (const url of Array.isArray(denied) ? denied : [denied]) {
      const at = { rule: `deniedUrls ${String(url)}`, where: lineOf(file, content.text ?? "", String(url)) };
      add(at, typeof url === "string" ? hostPatterns(url) : undefined);
    }
  }
  return collected(rules, files);
};

/** Copilot writes a comment at the top of its own files. */
const withoutComments = (text: string) => text.replaceAll(/^\s*\/\/.*$/gm, "");

/** Copilot itself still judges calls of tools other than the shell, so rules about those have no pattern. */
function toolPatterns(rule: string): readonly OwnPattern[] | undefined {
  const [, kind = "", argument = ""] = /^([^()]+)(?:\(([\s\S]*)\))?$/.exec(rule) ?? [];
  if (kind === "") return undefined;
  if (kind === "url") return argument.trim() === "" ? [{ kind: "host", host: "*" }] : hostPatterns(argument.trim());
  if (!/^(?:shell|bash|powershell)$/i.test(kind)) return [];
  const command = argument.replace(/:\*$/, "").trim();
  if (command === "" || command === "*") return [{ kind: "any" }];
  const words = command.split(/\s+/);
  // A rule with a wildcard or an option is matched as text too.
  const text = { kind: "text" as const, text: `${command} *` };
  return words.every((word) => /^[\w./@:+=,-]+$/.test(word) && !word.startsWith("-"))
    ? [{ kind: "words", words }, text]
    : [text];
}

/** The host of a URL or a domain. Held for every protocol and path, which is stricter than Copilot itself. */
function hostPatterns(text: string): readonly OwnPattern[] | undefined {
  const host = /^(?:[a-z][a-z0-9+.*-]*:\/\/)?(?:[^@/]*@)?(\[[^\]]+\]|[^/:?#]+)/i.exec(text.trim())?.[1];
  return host === undefined ? undefined : [{ kind: "host", host: host.toLowerCase() }];
}

type Start = Parameters<NonNullable<AgentInstall["ownHooks"]>>[0];

/** Copilot knows its events by Claude Code's names too. */
const names = (event: HookEventName) => [copilotDialect.events[event], claudeDialect.events[event]];

const SETTINGS = [
  ".github/copilot/settings.json",
  ".github/copilot/settings.local.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
];

/**
 * Only those that surely run, because a hook that neither we nor Copilot start would be lost. The repository's count where
 * Copilot knows the folder as trusted.
 */
export const copilotOwnHooks: NonNullable<AgentInstall["ownHooks"]> = (start) => {
  const home = start.env["COPILOT_HOME"] || join(homeOf(start.env), ".copilot");
  const { workspace } = start;
  const project = isTrusted(start, home)
    ? [...jsonFiles(join(workspace, ".github/hooks")), ...SETTINGS.map((name) => join(workspace, name))]
    : [];
  return [
    ...jsonFiles(join(home, "hooks")).flatMap((path) => hookEntries(readSettings(path), true, names)),
    ...project.flatMap((path) => hookEntries(readSettings(path), false, names)),
  ];
};

function isTrusted({ flags, env, cwd }: Start, home: string): boolean {
  const known = ["config.json", "settings.json"].flatMap((name) => {
    const settings = parseSettings(withoutComments(textIfReadable(join(home, name)) ?? ""));
    return strings(settings?.["trusted_folders"] ?? settings?.["trustedFolders"]) ?? [];
  });
  return (
    known.some((folder) => isInside(cwd, folder)) ||
    flags.some((word) => isFlag(word, "--trust-folder")) ||
    env["COPILOT_ALLOW_ALL"] === "true" ||
    env["GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS"] === "true"
  );
}

const jsonFiles = (folder: string): readonly string[] =>
  namesIn(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(folder, name));
