import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ForeignRule, RuleSubject } from "../../contract/foreign-rule.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Policy, PolicyFile } from "../../contract/policy.ts";
import { canonicalJson } from "../../lib/json/json-value.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { shWord } from "../../lib/text/shell-words.ts";
import { unifiedDiff } from "../../lib/text/unified-diff.ts";
import { EXIT, isUserError, UserError } from "../../lib/text/user-error.ts";
import { judge } from "../judge/judge.ts";
import { compilePolicy, loadActivePolicy } from "../policy/active-policy.ts";
import { compiledFile, workspacePolicy } from "../policy/compiled-policy.ts";
import { findIdleRules, readPolicyFile } from "../policy/load-policy.ts";
import { type AddedRule, addToPolicy, changePolicy, NEW_POLICY, NOTHING_ADDED, policyNow } from "./edit-policy.ts";

/** Where an agent's rules go: into the user's policy, or the repository's. */
interface ImportTarget {
  /** The user's signalbox folder. */
  readonly folder: string;
  readonly workspaceRoot: string;
  readonly repository: boolean;
  /** Whose rules they are. Ids of rules begin with it. */
  readonly agent: string;
  readonly machine: Machine;
}

/** What becomes of one rule. */
export interface ImportedRule {
  readonly rule: ForeignRule;
  readonly part: "exact" | "stricter" | "none";
  readonly because: string;
}

export interface ImportPlan {
  readonly file: string;
  readonly isNew: boolean;
  readonly rules: readonly ImportedRule[];
  readonly diff: string;
  /** The texts and the policies without and with the rules. */
  readonly before: string;
  readonly after: string;
  readonly was: Policy;
  readonly will: Policy;
}

type ListName = "deniedTools" | "askedTools" | "denyRead" | "denyWrite" | "deniedHosts";

/** The form of one rule in a policy. */
interface Taken extends ImportedRule {
  readonly added?: AddedRule | undefined;
  readonly entry?: readonly [list: ListName, text: string] | undefined;
}

/** Plans what a policy file takes from an agent's rules. Writes nothing. */
export function planImport(rules: readonly ForeignRule[], target: ImportTarget): ImportPlan {
  const { folder, workspaceRoot, repository } = target;
  const file = repository ? workspacePolicy(workspaceRoot) : join(folder, "policy.yaml");
  const now = policyNow(file);
  const before = now ?? NEW_POLICY;
  const load = (text: string) => loadPolicy(text, { ...target, file });
  const known = readPolicyFile(before, file);
  const taken = rules.map((rule) => take(rule, target.agent));
  const first = load(addTaken(before, known, taken));
  const useful = withoutIdle(taken, first, target.machine);
  const after = addTaken(before, known, useful);
  return {
    file,
    isNew: now === undefined,
    rules: useful.map(({ rule, part, because }) => ({ rule, part, because })),
    diff: after === before ? "" : unifiedDiff(now ?? "", after, file),
    before,
    after,
    was: load(before),
    will: load(after),
  };
}

/** The policy with this text in its file. A repository's file counts as trusted, as it will once it is. */
function loadPolicy(text: string, { folder, workspaceRoot, file }: ImportTarget & { readonly file: string }): Policy {
  return loadActivePolicy({ workspaceRoot, folder, instead: { path: file, text } }).policy;
}

/** Writes a plan. Throws if the policy has changed since. */
export function writeImport({ file, before, after }: ImportPlan, { folder, workspaceRoot }: ImportTarget): void {
  changePolicy(folder, file, (now) => {
    if ((now ?? NEW_POLICY) === before) return after;
    throw new UserError("the policy has changed meanwhile, and nothing was written", {
      where: file,
      fix: "run it again",
      exitCode: EXIT.refused,
    });
  });
  if (existsSync(compiledFile(folder, workspaceRoot))) compilePolicy(folder, workspaceRoot);
}

function take(rule: ForeignRule, agent: string): Taken {
  const { subject, verdict } = rule;
  if (subject.kind === "none") return { rule, part: "none", because: subject.because };
  if (subject.kind === "command") return takeCommand(rule, subject, agent);
  if (verdict === "allow") return { rule, part: "none", because: "only rules about commands can be allowed exactly" };
  const entry = entryOf(subject, verdict);
  const flaw = flawOf(addToPolicy(NEW_POLICY, { ...NOTHING_ADDED, [entry[0]]: [entry[1]] }));
  if (flaw !== undefined) return { rule, part: "none", because: flaw };
  return { rule, entry, ...partOf(subject.wider) };
}

const partOf = (wider: string | undefined) =>
  wider === undefined ? ({ part: "exact", because: "" } as const) : ({ part: "stricter", because: wider } as const);

type Listed = Exclude<RuleSubject, { kind: "none" | "command" }>;

function entryOf(subject: Listed, verdict: ForeignRule["verdict"]): readonly [ListName, string] {
  switch (subject.kind) {
    case "tool":
      return [verdict === "ask" ? "askedTools" : "deniedTools", subject.name];
    case "path":
      return [subject.access === "read" ? "denyRead" : "denyWrite", subject.glob];
    case "host":
      return ["deniedHosts", subject.host];
  }
}

const MAX_EXAMPLES = 3;

type Command = Extract<RuleSubject, { kind: "command" }>;

function takeCommand(rule: ForeignRule, subject: Command, agent: string): Taken {
  const { verdict, where } = rule;
  const { argv, exact, wider } = subject;
  const isGrant = verdict === "allow";
  const bare: AddedRule = {
    id: `${agent}-${sha256(canonicalJson([verdict, argv, exact])).slice(0, 10)}`,
    argv,
    exact,
    ...(isGrant ? { asWritten: true } : {}),
    verdict,
    because: `imported from ${where}`.slice(0, 500),
  };
  const flaw = flawIn(bare);
  if (flaw !== undefined) return { rule, part: "none", because: flaw };
  const match = subject.match.slice(0, MAX_EXAMPLES).filter((each) => flawIn({ ...bare, match: [each] }) === undefined);
  const excluded = subject.notMatch.slice(0, MAX_EXAMPLES);
  const notMatch = excluded.filter((each) => flawIn({ ...bare, notMatch: [each] }) === undefined);
  const covered = excluded.find((each) => !notMatch.includes(each));
  if (isGrant && covered !== undefined)
    return { rule, part: "none", because: `it would also allow ${covered}, which the rule says it must not match` };
  const added = { ...bare, match, notMatch };
  return { rule, added, ...partOf(wider ?? (covered === undefined ? undefined : `it also covers ${covered}`)) };
}

const flawIn = (rule: AddedRule) => flawOf(addToPolicy(NEW_POLICY, { ...NOTHING_ADDED, rules: [rule] }));

/** Why a policy file may not have this text. */
function flawOf(text: string): string | undefined {
  try {
    readPolicyFile(text, "");
    return undefined;
  } catch (error) {
    if (isUserError(error)) return error.message;
    throw error;
  }
}

/** The text with everything that is taken and not in it yet. */
function addTaken(text: string, known: PolicyFile, taken: readonly Taken[]): string {
  const ids = new Set(known.rules.map(({ id }) => id));
  const rules = taken.flatMap(({ added }) => {
    if (added === undefined || ids.has(added.id)) return [];
    ids.add(added.id);
    return [added];
  });
  const present: Readonly<Record<ListName, readonly string[]>> = {
    deniedTools: known.tools?.deny ?? [],
    askedTools: known.tools?.require_approval_for ?? [],
    denyRead: known.paths?.deny_read ?? [],
    denyWrite: known.paths?.deny_write ?? [],
    deniedHosts: known.network?.deny ?? [],
  };
  const fresh = (list: ListName) =>
    [...new Set(taken.flatMap(({ entry }) => (entry?.[0] === list ? [entry[1]] : [])))].filter(
      (entry) => !present[list].includes(entry),
    );
  return addToPolicy(text, {
    ...NOTHING_ADDED,
    rules,
    deniedTools: fresh("deniedTools"),
    askedTools: fresh("askedTools"),
    denyRead: fresh("denyRead"),
    denyWrite: fresh("denyWrite"),
    deniedHosts: fresh("deniedHosts"),
  });
}

/** Leaves out grants that another rule makes useless. Restrictions stay: what covers them may change or go. */
function withoutIdle(taken: readonly Taken[], policy: Policy, machine: Machine): readonly Taken[] {
  const idle = new Map(findIdleRules(policy.rules).map((rule) => [rule.rule, rule]));
  return taken.map((one): Taken => {
    const { rule, added } = one;
    if (added?.verdict !== "allow") return one;
    const cover = idle.get(added.id);
    if (cover?.kind === "dead") return { rule, part: "exact", because: `the rule ${cover.by} allows it already` };
    if (cover !== undefined)
      return { rule, part: "none", because: `the rule ${cover.by} is stricter, so it would have no effect` };
    const command = added.argv.map((token) => shWord(typeof token === "string" ? token : (token[0] ?? ""))).join(" ");
    const { verdict, because } = judge({ tool: "Bash", input: { command } }, policy, machine);
    const still = verdict === "deny" ? "deny" : "ask about";
    return verdict === "allow" ? one : { rule, part: "none", because: `signalbox would still ${still} it: ${because}` };
  });
}
