import type { HeldRule, OwnPattern } from "../contract/own-rules.ts";
import type { Policy, Rule } from "../contract/policy.ts";
import type { GuardFinding, SeenEffect } from "../contract/verdict.ts";
import { couldMatchWildcard, matchesWildcard } from "../lib/text/wildcard.ts";
import type { ArgvForms } from "../shell/argv/argv-effects.ts";
import { isVariable, show, type Word } from "../shell/model/word.ts";

export interface OwnMatch {
  readonly rule: HeldRule;
  readonly certain: boolean;
}

/** What a command would do, examined with the rules' own policy. */
interface Examined {
  readonly command: string;
  readonly ran: readonly ArgvForms[];
  readonly findings: readonly GuardFinding[];
  readonly seen: readonly SeenEffect[];
}

/** The first rule that certainly matches, otherwise the first that might. The hook loads this file when needed. */
export function firstMatch(rules: readonly HeldRule[], examined: Examined): OwnMatch | undefined {
  const { command, ran, findings, seen } = examined;
  const texts = [command.trim(), ...new Set(ran.flatMap(spellings))];
  let possible: OwnMatch | undefined;
  for (const [index, rule] of rules.entries()) {
    const found = [
      ...rule.patterns.map((pattern) => matchPattern(pattern, { texts, seen })),
      ...findings.map((finding) => matchFinding(finding, rule, index)),
    ];
    if (found.includes("yes")) return { rule, certain: true };
    if (found.includes("maybe")) possible ??= { rule, certain: false };
  }
  return possible;
}

type Answer = "yes" | "maybe" | "no";

function matchPattern(
  pattern: OwnPattern,
  { texts, seen }: { readonly texts: readonly string[]; readonly seen: readonly SeenEffect[] },
): Answer {
  switch (pattern.kind) {
    case "any":
      return "yes";
    case "text":
      if (texts.some((text) => !isVariable(text) && matchesWildcard(pattern.text, text))) return "yes";
      return texts.some((text) => isVariable(text) && couldMatchWildcard(pattern.text, text, isVariable))
        ? "maybe"
        : "no";
    case "host":
      return matchHosts(pattern.host, seen);
    // The examination itself reports these.
    case "words":
    case "path":
      return "no";
  }
}

function matchHosts(host: string, seen: readonly SeenEffect[]): Answer {
  const hosts = seen.filter(({ kind }) => kind === "network").map(({ target }) => hostIn(target));
  if (hosts.some((one) => one !== undefined && coversHost(host, one))) return "yes";
  return hosts.some((one) => one?.includes("…") === true) ? "maybe" : "no";
}

function coversHost(pattern: string, host: string): boolean {
  if (pattern === "*" || pattern === host) return true;
  return /^\*{1,2}\./.test(pattern) && host.endsWith(pattern.replace(/^\*+/, ""));
}

function hostIn(target: string): string | undefined {
  const [, host] = /^'?(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/\s]*@)?(\[[^\]]+\]|[^/:?#\s']+)/i.exec(target) ?? [];
  return host?.toLowerCase();
}

/** Every way to write an argv as one text: with and without quotes, and the program with and without its folder. */
function spellings({ raw, canonical }: ArgvForms): readonly string[] {
  return [raw, canonical].flatMap((words) => {
    const [first, ...rest] = words;
    if (first === undefined) return [];
    const bare: Word = { ...first, text: first.text.split("/").at(-1) ?? "" };
    return [first, bare].flatMap((program) => {
      const plain = [program, ...rest].map(({ text }) => text).join(" ");
      return isVariable(plain) ? [plain] : [plain, show([program, ...rest])];
    });
  });
}

/** Reasons for which our reader cannot say which commands run. */
const UNREADABLE = new Set([
  "alias",
  "awk-runs",
  "control-character",
  "disagreement",
  "empty",
  "history",
  "opaque-code",
  "program-letters",
  "program-unknown",
  "runs-program",
  "sed-runs",
  "subscript",
  "syntax",
  "too-much",
  "unproven",
]);

/** Code in a file or in another language. No agent looks into it, so its rules say nothing about it either. */
const NOT_SHELL =
  /^(?:the program to run comes|can run commands in its own language|the source comes|controls other programs|runs the commands in a file)/;

/** Variables and settings whose value a shell runs. */
const RUN_BY_SHELL = /^the (?:variable (?:BASH_ENV|ENV|PROMPT_COMMAND|PS4|SHELLOPTS|BASHOPTS)|setting alias\.\S+) /i;

function isUnreadable({ code, because, fragment }: GuardFinding): boolean {
  if (code === "environment" || code === "git-setting" || code === "git-option") return RUN_BY_SHELL.test(because);
  // A process substitution is no file.
  return UNREADABLE.has(code) && (!NOT_SHELL.test(because) || / \/dev\//.test(fragment));
}

function matchFinding(finding: GuardFinding, rule: HeldRule, index: number): Answer {
  const { verdict, rule: id, because } = finding;
  if (id === `own:${index}`) return verdict === "deny" ? "yes" : "maybe";
  if (id === "deny_read" || id === "deny_write") {
    const globs = rule.patterns.flatMap((pattern) => (pattern.kind === "path" ? pattern.globs : []));
    if (globs.some((glob) => because.includes(`keeps ${glob} from`) || because.includes(`${glob} is inside it`)))
      return "yes";
    return globs.some((glob) => because.endsWith(`can match ${glob}`)) ? "maybe" : "no";
  }
  if (!isUnreadable(finding)) return "no";
  // A rule about files names no command; what it can hold is the paths that were read.
  return rule.patterns.some(({ kind }) => kind !== "path" && kind !== "host") ? "maybe" : "no";
}

const POLICIES = new WeakMap<readonly HeldRule[], Policy>();

/** The rules as a policy that allows everything else. Kept, because it carries compiled patterns. */
export function ownRulesPolicy(
  rules: readonly HeldRule[],
  { workspace, home }: { readonly workspace: string; readonly home: string },
): Policy {
  const known = POLICIES.get(rules);
  if (known?.workspaceRoot === workspace && known.home === home) return known;
  const globs = (access: "read" | "write") =>
    rules.flatMap(({ patterns }) =>
      patterns.flatMap((pattern) => (pattern.kind === "path" && pattern.access === access ? pattern.globs : [])),
    );
  const policy: Policy = {
    version: 1,
    id: "own-rules",
    workspaceRoot: workspace,
    home,
    rules: rules.flatMap(({ patterns }, index) => patterns.flatMap((pattern) => wordRule(pattern, index))),
    tools: { allow: [], deny: [], ask: [], otherwise: "allow" },
    paths: {
      readRoots: ["/"],
      writeRoots: ["/"],
      denyRead: globs("read"),
      denyWrite: globs("write"),
      outside: "allow",
      outsideForTools: "allow",
    },
    network: {
      mode: "any",
      allow: [],
      deny: [],
      schemes: ["http", "https"],
      ports: [],
      blockPrivate: false,
      unlisted: "allow",
    },
    fallback: "allow",
    interactive: true,
    sandbox: "off",
  };
  POLICIES.set(rules, policy);
  return policy;
}

function wordRule(pattern: OwnPattern, index: number): readonly Rule[] {
  if (pattern.kind !== "words") return [];
  const [program = "", ...rest] = pattern.words;
  const base = (name: string) => name.split("/").at(-1) ?? name;
  const argv = [typeof program === "string" ? base(program) : program.map(base), ...rest];
  return [{ id: `own:${index}`, source: "agent", verdict: "deny", argv, exact: false, because: "" }];
}
