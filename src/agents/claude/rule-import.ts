import { dirname, join } from "node:path";
import type { ForeignRule, ForeignRules, RuleSubject } from "../../contract/foreign-rule.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { hasGlobFlaw } from "../../lib/path/glob.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { splitWords } from "../../lib/text/shell-words.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { homeOf, parseSettings } from "../install/read-settings.ts";
import { lineOf } from "../install/watched-files.ts";
import type { ImportFiles, RuleImport } from "../pack/rule-import.ts";
import { MANAGED_FOLDERS } from "./settings.ts";

export const ruleImport: RuleImport = {
  checkedBy: "Claude Code with a scripted model",
  folders({ env, workspace, repository }) {
    if (repository) return { files: [join(workspace, ".claude/settings.json")], below: [] };
    const user = join(env["CLAUDE_CONFIG_DIR"] || join(homeOf(env), ".claude"), "settings.json");
    return {
      files: [...MANAGED_FOLDERS.map((folder) => join(folder, "managed-settings.json")), user],
      below: MANAGED_FOLDERS.map((folder) => [join(folder, "managed-settings.d"), ".json"]),
    };
  },
  read,
  ask: async (...asked) => await (await import("./ask-permissions.ts")).askPermissions(...asked),
};

function read(files: ImportFiles): ForeignRules {
  return { files, rules: files.flatMap(({ path, text }) => readFile(path, text)) };
}

function readFile(path: string, text: string): readonly ForeignRule[] {
  if (text.trim() === "") return [];
  const settings = parseSettings(text);
  if (settings === undefined)
    throw new UserError("these settings are not a JSON object, so Claude Code ignores them", {
      where: path,
      fix: "fix the JSON; comments and trailing commas are not allowed in it",
    });
  const { permissions = {} } = settings;
  if (!isRecord(permissions)) return [refused("permissions", path, "it is not an object")];
  const lists = (["deny", "ask", "allow"] as const).flatMap((verdict): readonly ForeignRule[] => {
    const given: unknown = permissions[verdict] ?? [];
    if (!Array.isArray(given)) return [refused(`permissions.${verdict}`, path, "it is not a list")];
    return given.map((rule: unknown): ForeignRule => {
      const shown = typeof rule === "string" ? rule : JSON.stringify(rule);
      const where = lineOf(path, text, JSON.stringify(rule));
      const subject: RuleSubject =
        typeof rule === "string" ? subjectOf(rule, verdict) : { kind: "none", because: "it is not a text" };
      return { verdict, text: shown, where, subject };
    });
  });
  const others = Object.keys(permissions).filter((key) => !["deny", "ask", "allow"].includes(key));
  return [
    ...lists,
    ...others.map((key) => refused(`permissions.${key}`, lineOf(path, text, JSON.stringify(key)), "it is no rule")),
  ];
}

const refused = (text: string, where: string, because: string): ForeignRule => ({
  verdict: "allow",
  text,
  where,
  subject: { kind: "none", because },
});

const none = (because: string): Extract<RuleSubject, { kind: "none" }> => ({ kind: "none", because });

const SHELL = "Bash";
const READS = ["Read", "Grep", "Glob", "LS"];
const WRITES = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

/** What one of Claude Code's rules is about. A grant is only taken where it can be said exactly. */
function subjectOf(rule: string, verdict: Verdict): RuleSubject {
  const [, tool = "", given] = /^([\w*.-]+)(?:\(([\s\S]*)\))?$/.exec(rule) ?? [];
  if (tool === "") return none("Claude Code does not read it as a rule");
  if (!/^(?:[A-Z*]|mcp__)/.test(tool)) return none("Claude Code has no tool of this name");
  const isGrant = verdict === "allow";
  if (tool === SHELL) return commandSubject(given ?? "*", isGrant);
  if (OTHER_SHELLS.includes(tool)) return otherShellSubject(given, isGrant);
  if (isGrant)
    return none(GRANTS[tool] ?? "a policy's list of allowed tools would deny every tool that it does not name");
  // A server's name alone stands for all its tools.
  if (given === undefined) return { kind: "tool", name: /^mcp__[^_]+(?:_[^_]+)*$/.test(tool) ? `${tool}__*` : tool };
  return restrictedSubject(tool, given.trim(), verdict);
}

/** What a rule about a part of a tool denies or asks about. */
function restrictedSubject(tool: string, spec: string, verdict: Verdict): RuleSubject {
  const asks = verdict === "ask";
  if (READS.includes(tool)) return pathSubject(spec, "read", asks ? ASKED_PATH : undefined);
  if (WRITES.includes(tool)) {
    const ignored = tool === "Edit" ? undefined : `Claude Code never looks at ${tool}(…)`;
    return pathSubject(spec, "write", asks ? ASKED_PATH : ignored);
  }
  const [, host] = tool === "WebFetch" ? (/^domain:(.+)$/.exec(spec) ?? []) : [];
  if (host === "*") return { kind: "tool", name: tool };
  if (host !== undefined) return { kind: "host", host: host.toLowerCase(), wider: asks ? ASKED_HOST : EVERY_COMMAND };
  return { kind: "tool", name: tool, wider: "a policy restricts the whole tool" };
}

const ASKED_PATH = "a policy does not ask about a path, so it is denied";
const ASKED_HOST = "a policy does not ask about a host, so it is denied, to every command too";
const EVERY_COMMAND = "it holds for every command too, not only for WebFetch";

const ELSEWHERE = "in the workspace the presets allow it; for other folders add them to paths in the policy";

const GRANTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...READS, ...WRITES].map((tool) => [tool, ELSEWHERE])),
  WebFetch: "a host in a policy is open to every command; to open it: signalbox guard allow --host NAME",
};

const OTHER_SHELLS = ["Monitor", "PowerShell"];

/** A policy has one shell tool. */
function otherShellSubject(given: string | undefined, isGrant: boolean): RuleSubject {
  const subject =
    isGrant || given === undefined ? none("a policy knows one shell tool only") : commandSubject(given, false);
  if (subject.kind === "command") return { ...subject, wider: "it holds for every shell" };
  return { ...none("a policy knows one shell tool only"), isLost: !isGrant };
}

const FIELD = /^(?:command|description|timeout|run_in_background|dangerouslyDisableSandbox):(?!\*$)/;

/** `x:*` and `x *` are the same prefix of words. Any other `*` stands for any text. */
function commandSubject(spec: string, isGrant: boolean): RuleSubject {
  if (spec === "" || spec === "*" || spec === ":*")
    return isGrant ? none("it allows every command") : { kind: "tool", name: SHELL };
  if (FIELD.test(spec)) return { ...none("a policy has no rules about this field"), isLost: !isGrant };
  const prefix = spec.endsWith(":*") ? spec.slice(0, -2) : spec.endsWith(" *") ? spec.slice(0, -2) : undefined;
  const text = prefix ?? spec;
  const match = samplesOf(text, prefix !== undefined);
  if (text.includes("*")) return globSubject(text, match, isGrant);
  const words = splitWords(text);
  if (words !== undefined && words.length > 0 && !/[;&|<>()$`\n#]/.test(text) && !(isGrant && /['"\\]/.test(text)))
    return { kind: "command", argv: words, exact: prefix === undefined, match, notMatch: [] };
  if (isGrant) return none("it is not a single command in plain words");
  return headSubject(
    plainHead(text.split(/\s+/)),
    match,
    "only the words before the first shell character are compared",
  );
}

function globSubject(text: string, match: readonly string[], isGrant: boolean): RuleSubject {
  if (isGrant) return none("its * can stand for any text, which a rule over words cannot say");
  const words = text.trim().split(/\s+/);
  const at = words.findIndex((word) => word.includes("*"));
  const head = plainHead(words.slice(0, at));
  const wild = words[at] ?? "*";
  const wider = "its * can stand for several words";
  if (head.length < at) return headSubject(head, match, wider);
  const front = wild.slice(0, wild.indexOf("*"));
  if (front !== "" && !front.startsWith("-"))
    return headSubject(PLAIN_WORD.test(front) ? [...head, `${front}*`] : head, match, wider);
  const options = wild === "*" ? words.slice(at + 1).filter((word) => /^-[\w-]+$/.test(word)) : [];
  return headSubject([...(head.length === 0 && options.length > 0 ? ["*"] : head), ...options], match, wider);
}

/** A rule about every command that begins with these words; about the whole tool if there are none. */
const headSubject = (argv: readonly string[], match: readonly string[], wider: string): RuleSubject =>
  argv.length === 0
    ? { kind: "tool", name: SHELL, wider: `${wider}, so every command is covered` }
    : { kind: "command", argv, exact: false, wider, match, notMatch: [] };

const PLAIN_WORD = /^[\w./@:+=,%-]+$/;

function plainHead(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => !PLAIN_WORD.test(word));
  return end === -1 ? words : words.slice(0, end);
}

function samplesOf(text: string, isPrefix: boolean): readonly string[] {
  const filled = text.includes("*") ? ["x", "x y"].map((part) => text.replaceAll("*", part).trim()) : [text];
  return isPrefix ? filled.flatMap((sample) => [sample, `${sample} other`]) : filled;
}

/** Paths as in a `.gitignore`: `//x` is absolute, `/x` starts at the settings, the others at the folder of the session. */
function pathSubject(spec: string, access: "read" | "write", because: string | undefined): RuleSubject {
  if (spec === "" || spec.startsWith("!")) return none("it excludes nothing by itself");
  const path = spec.replace(/(?<=.)\/$/, "");
  const anchored = path.startsWith("//") || path.startsWith("~/") || path.startsWith("**");
  const plain = path.replace(/^(?:\.?\/)+/, "");
  const glob = anchored ? path.replace(/^\/\//, "/") : `**/${plain}`;
  const anywhere = anchored || !path.includes("/") ? undefined : "it holds below every folder";
  const safe = hasGlobFlaw(glob) ? dirname(glob.slice(0, glob.search(/[[{!?\\]/) + 1)) : glob;
  const wider = because ?? (safe === glob ? anywhere : "its pattern is cut to the folder in front");
  const sample = path.startsWith("/") ? undefined : filledGlob(path);
  return { kind: "path", access, glob: safe, wider, sample };
}

const filledGlob = (glob: string) => glob.replaceAll("**", "a/b").replaceAll("*", "x").replace(/^\.\//, "");
