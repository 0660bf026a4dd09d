import { type AgentCall, HELD_PARTS } from "../../contract/agent-call.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Policy, Rule } from "../../contract/policy.ts";
import type { Decision, GuardFinding } from "../../contract/verdict.ts";
import { canonicalJson } from "../../lib/json/json-value.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { splitWords } from "../../lib/text/shell-words.ts";
import { isUserError } from "../../lib/text/user-error.ts";
import { argvEffects } from "../../shell/argv/argv-effects.ts";
import { word } from "../../shell/model/word.ts";
import { ON_ITS_OWN } from "../judge/findings.ts";
import { judge, type JudgeExtras } from "../judge/judge.ts";
import { readPolicyFile } from "../policy/load-policy.ts";
import { type AddedRule, addToPolicy, NOTHING_ADDED, type PolicyAddition } from "./edit-policy.ts";
import { type Grant, grantOf, hostCommand, liftedBy, objectionsOf } from "./offer.ts";

interface ProposalPlace {
  /** The file that would be changed. */
  readonly file: { readonly path: string; readonly text: string };
  /** The policy that applies if the file has this text. */
  readonly load: (text: string) => Policy;
  readonly machine: Machine & JudgeExtras;
  /** Decides as a session does. */
  readonly decide: typeof judge;
  /** Allow every command that begins with these words, instead of exactly this one. */
  readonly prefix?: boolean | undefined;
  readonly because: string;
}

/** How a command could be allowed, tried on the judge itself. */
export type Proposal =
  | { readonly kind: "allowed"; readonly decision: Decision }
  | { readonly kind: "refused"; readonly decision: Decision; readonly because: string }
  | {
      readonly kind: "addition";
      readonly decision: Decision;
      readonly addition: PolicyAddition;
      /** The file with the addition, and the policy that it makes. */
      readonly text: string;
      readonly policy: Policy;
    };

const MAX_ROUNDS = 5;

/** Finds the narrowest addition to a policy file that allows a call. Never one that lifts a denial or a floor. */
export function proposeAddition(call: AgentCall, place: ProposalPlace): Proposal {
  const { machine, decide } = place;
  const before = place.load(place.file.text);
  const decision = decide(call, before, machine);
  // A rule that only answers outside a sandbox would not help in a contained session.
  const inside =
    machine.contained === undefined ? judge(call, before, { ...machine, contained: HELD_PARTS }) : decision;
  if (decision.verdict === "allow") return notTogether(inside) ?? { kind: "allowed", decision };
  const refused = (because: string): Proposal => ({
    kind: "refused",
    decision,
    because: `${because}${orOpen(decision)}`,
  });
  const needs = new Set((inside.needs ?? []).map(({ kind }) => kind));
  // It asks to run outside, and is judged so.
  const isOutside = inside.contained === false;
  const outside = isOutside || needs.has("outside");
  // What leaves the sandbox, or is lent a host, has to be allowed without a sandbox too.
  const machines =
    !isOutside && (outside || needs.has("host")) ? [{ ...machine, contained: undefined }, machine] : [machine];
  const trial = { ...place, outside, machines };
  let current = attempt(call, { addition: NOTHING_ADDED, text: place.file.text, policy: before }, trial);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const hard = objectionsOf(current.decision).find((finding) => liftedBy(finding, before) === undefined);
    if (hard !== undefined) return refused(whyNot(hard, before));
    const addition = extendAddition(current, trial);
    if (typeof addition === "string") return refused(addition);
    if (canonicalJson(addition) === canonicalJson(current.addition)) break;
    const next = tryAddition(call, trial, addition);
    if (typeof next === "string") return refused(next);
    if (next.decision.verdict === "allow") return { kind: "addition", ...next, decision };
    current = next;
  }
  const [left] = objectionsOf(current.decision);
  return refused(left === undefined ? "no rule answers this" : `a rule would not answer this: ${left.because}`);
}

/** Each part is allowed, but what leaves the sandbox takes nothing along that is harmless only inside. */
function notTogether(decision: Decision): Proposal | undefined {
  const leaving = decision.findings.find(({ instead }) => instead === ON_ITS_OWN);
  if (decision.verdict === "allow" || leaving === undefined) return undefined;
  const because = `\`${leaving.fragment}\` is allowed and runs outside a session's sandbox, and the rest of the line runs inside; each needs a call of its own`;
  return { kind: "refused", decision, because };
}

interface Attempt {
  readonly addition: PolicyAddition;
  readonly text: string;
  readonly policy: Policy;
  /** Of the machines on which the call has to be allowed, the first that objects. */
  readonly decision: Decision;
}

interface Trial extends ProposalPlace {
  readonly outside: boolean;
  readonly machines: readonly ProposalPlace["machine"][];
}

function attempt(call: AgentCall, made: Omit<Attempt, "decision">, { machines, machine, decide }: Trial): Attempt {
  const decisions = machines.map((each) => decide(call, made.policy, each));
  const decision = decisions.find(({ verdict }) => verdict !== "allow") ?? decide(call, made.policy, machine);
  return { ...made, decision };
}

/** The result of an addition, or why the file would not be valid with it. */
function tryAddition(call: AgentCall, trial: Trial, addition: PolicyAddition): Attempt | string {
  try {
    const text = addToPolicy(trial.file.text, addition);
    return attempt(call, { addition, text, policy: trial.load(text) }, trial);
  } catch (error) {
    if (isUserError(error)) return error.message;
    throw error;
  }
}

/** What the remaining objections need beyond what is already added, or why that cannot be written. */
function extendAddition({ addition, decision, policy }: Attempt, place: Trial): PolicyAddition | string {
  const file = readPolicyFile(place.file.text, place.file.path);
  let made = addition;
  for (const finding of objectionsOf(decision)) {
    const grant = grantOf(finding);
    const isLent = grant?.kind === "host" && finding.command !== undefined;
    if (isLent && place.prefix === true) return `${finding.because}, and a rule lends a host to one exact command`;
    if (grant !== undefined && !isLent) {
      made = withGrant(made, grant, {
        readRoots: file.paths?.read_roots === undefined ? policy.paths.readRoots : [],
        writeRoots: file.paths?.write_roots === undefined ? policy.paths.writeRoots : [],
      });
      continue;
    }
    const rule = ruleFor(isLent ? (finding.command ?? "") : finding.fragment, {
      prefix: place.prefix === true,
      because: place.because,
      outside: place.outside,
    });
    if (typeof rule === "string") return rule;
    made = withRule(made, isLent ? { ...rule, hosts: [grant.target] } : rule);
  }
  return made;
}

/** Where nothing but a host is missing, it can be opened to every command, if it cannot be lent to this one. */
function orOpen(decision: Decision): string {
  const hosts = objectionsOf(decision).map(({ need, command }) => (command === undefined ? undefined : need));
  const [first] = hosts;
  return first?.kind === "host" && hosts.every((need) => need?.kind === "host")
    ? `. To open the host to every command: ${hostCommand(first.target)}`
    : "";
}

/** One rule for one argv, with the hosts that it needs. */
function withRule(addition: PolicyAddition, rule: AddedRule): PolicyAddition {
  const known = addition.rules.find(({ id }) => id === rule.id);
  if (known === undefined) return { ...addition, rules: [...addition.rules, rule] };
  const hosts = [...new Set([...(known.hosts ?? []), ...(rule.hosts ?? [])])];
  const joined = hosts.length === 0 ? known : { ...known, hosts };
  return { ...addition, rules: addition.rules.map((one) => (one === known ? joined : one)) };
}

/** A file's roots replace those of the preset, so the first one brings the others along. */
function withGrant(
  addition: PolicyAddition,
  { kind, target }: Grant,
  present: Pick<PolicyAddition, "readRoots" | "writeRoots">,
): PolicyAddition {
  if (kind === "host") return { ...addition, hosts: [...new Set([...addition.hosts, target])] };
  if (kind === "variable") return { ...addition, variables: [...new Set([...addition.variables, target])] };
  const list = kind === "read" ? "readRoots" : "writeRoots";
  const roots = addition[list].length === 0 ? present[list] : addition[list];
  return { ...addition, [list]: [...new Set([...roots, target])] };
}

const MAX_WORDS = 100;

const MAX_WORD = 500;

/** The words by which a rule can name a command as the judge shows it, or why it cannot. */
export function ruleWords(shown: string): readonly string[] | string {
  if (shown.includes("…")) return "part of the command is only known at run time, so no rule can name it";
  const [first, ...rest] = (splitWords(shown) ?? []).map(word);
  if (first === undefined) return "the command cannot be split into words";
  const { forms } = argvEffects([first, ...rest], {
    feed: { kind: "none" },
    shell: "bash",
    hasOddNames: () => false,
  });
  const words = [forms.program, ...forms.canonical.slice(1).map(({ text }) => text)];
  if (words.length > MAX_WORDS) return `a rule can name at most ${MAX_WORDS} words`;
  if (words.some((text) => text.length > MAX_WORD))
    return `a rule can only name words of at most ${MAX_WORD} characters`;
  if (words.includes("")) return "a rule cannot name an empty word";
  return words;
}

/** The rule that allows exactly this command, or everything that begins with it; a string says why there is none. */
export function ruleFor(
  shown: string,
  setting: { readonly prefix: boolean; readonly because: string; readonly outside: boolean },
): AddedRule | string {
  const argv = ruleWords(shown);
  if (typeof argv === "string") return argv;
  const exact = !setting.prefix;
  const name = argv
    .slice(0, 2)
    .join("-")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 40);
  const digest = sha256(JSON.stringify([argv, exact])).slice(0, 8);
  const id = `allowed-${name}-${digest}`;
  return { id, argv, exact, because: setting.because, ...(setting.outside ? { contained: false } : {}) };
}

/** Why no rule of the user's own can allow what a finding objects to, and what can be done instead. */
function whyNot(finding: GuardFinding, policy: Policy): string {
  const { code, rule, because } = finding;
  if (code === "injection" || code === "taint" || rule === "screen")
    return `${because}; that is decided case by case, and no rule lifts it`;
  if (rule.startsWith("floor:")) return `${because}; this is a floor, which no policy can open`;
  const own = policy.rules.find(({ id }) => id === rule);
  if (own !== undefined) return `${because} (rule ${rule}). ${aboutRule(own)}`;
  if (rule === "deny_read" || rule === "deny_write")
    return `${because}. guard allow answers questions and lifts no denial: to open that one path, add "!PATH" to paths.${rule} in ~/.signalbox/policy.yaml`;
  if (rule === "network")
    return `${because}. guard allow answers questions and lifts no denial: see network in ~/.signalbox/policy.yaml`;
  return `${because}; no rule can answer that (${code})`;
}

function aboutRule({ source, verdict, id }: Rule): string {
  const does = verdict === "deny" ? "denies" : "asks about";
  switch (source) {
    case "managed":
      return `Your organisation's policy ${does} it, and only it can change that`;
    case "preset":
      return `guard allow answers questions and lifts no denial: to replace this rule, write one with the id ${id} in ~/.signalbox/policy.yaml`;
    default:
      return `The ${source === "user" ? "user's own" : source} policy ${does} it: change that rule there`;
  }
}
