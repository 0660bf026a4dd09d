import { join } from "node:path";
import { HELD_PARTS } from "../../contract/agent-call.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Policy } from "../../contract/policy.ts";
import type { Decision, GuardFinding } from "../../contract/verdict.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { unifiedDiff } from "../../lib/text/unified-diff.ts";
import { isUserError } from "../../lib/text/user-error.ts";
import { type LogCounts, newCounts, readDecisions, recordedCommand, wasHeld } from "../audit/read-decisions.ts";
import { judge, type JudgeExtras } from "../judge/judge.ts";
import { readPolicyFile } from "../policy/load-policy.ts";
import { addToPolicy, NEW_POLICY, NOTHING_ADDED, type PolicyAddition, policyNow } from "./edit-policy.ts";
import { grantOf, hostCommand, objectionsOf } from "./offer.ts";
import { ruleFor, ruleWords } from "./propose.ts";

const MAX_LESSONS = 5;

const MAX_EXAMPLES = 2;

const MAX_COMMANDS = 5000;

/** One addition to the policy, how many held commands need it, and the command that writes it. */
export interface Lesson {
  readonly addition: PolicyAddition;
  readonly count: number;
  readonly examples: readonly string[];
  readonly apply: string;
}

export interface Learnt {
  /** The user's policy, and what the lessons would change in it together. */
  readonly file: string;
  readonly diff: string;
  readonly lessons: readonly Lesson[];
  /** Decisions in this workspace that held a shell command. */
  readonly held: number;
  readonly skipped: {
    /** Recorded without a secret, or cut, so that the command is not known. */
    readonly incomplete: number;
    /** Allowed by now. */
    readonly allowed: number;
    /** Never proposed: floors, denials, sending, deleting, taking rights, suspicious text, a person's no. */
    readonly never: number;
  };
  readonly log: LogCounts;
}

interface HeldCommand {
  readonly command: string;
  readonly cwd: string;
  /** It was judged as in a sandbox. */
  readonly contained: boolean;
  count: number;
}

/**
 * Finds the rules that would have saved most questions in this workspace, from the decisions in the audit log since a
 * time in milliseconds.
 */
export function learn(home: string, active: Policy, machine: Machine & JudgeExtras, since: number): Learnt {
  const { commands, rejected, incomplete, held, log } = collect(home, active, since);
  const skipped = { incomplete, allowed: 0, never: 0 };
  const wanting: (HeldCommand & { readonly wanted: WantedGrants })[] = [];
  // The question would have been the same with somebody there.
  const policy = { ...active, hash: undefined, interactive: true };
  for (const [index, known] of commands.entries()) {
    const { command, cwd, contained, count } = known;
    const here = contained ? { ...machine, contained: HELD_PARTS } : machine;
    const decision = judge({ tool: "Bash", input: { command }, cwd }, policy, here);
    const wanted = index < MAX_COMMANDS && !rejected.has(command) ? wantedBy(decision) : undefined;
    if (decision.verdict === "allow") skipped.allowed += count;
    else if (wanted === undefined) skipped.never += count;
    else wanting.push({ ...known, wanted });
  }
  const lessons = lessonsFrom(wanting);
  return { ...changeOf(lessons, home), lessons, held, skipped, log };
}

function changeOf(lessons: readonly Lesson[], home: string): { file: string; diff: string } {
  const file = join(home, "policy.yaml");
  const now = policyNow(file);
  const proposed = lessons.reduce((text, { addition }) => addToPolicy(text, addition), now ?? NEW_POLICY);
  return { file, diff: lessons.length === 0 ? "" : unifiedDiff(now ?? "", proposed, file) };
}

function collect(home: string, policy: Policy, since: number) {
  const log = newCounts();
  const known = new Map<string, HeldCommand>();
  const rejected = new Set<string>();
  let incomplete = 0;
  let held = 0;
  for (const decision of readDecisions(home, log)) {
    if (!(Date.parse(decision.time) >= since)) continue;
    const command = recordedCommand(decision);
    if (decision.code === "person-reject" && command !== undefined) rejected.add(command);
    if (!wasHeld(decision, policy.workspaceRoot)) continue;
    held++;
    if (command === undefined) {
      incomplete++;
      continue;
    }
    const contained = decision.contained !== undefined;
    const key = JSON.stringify([command, decision.cwd, contained]);
    const before = known.get(key);
    if (before === undefined) known.set(key, { command, cwd: decision.cwd, contained, count: 1 });
    else before.count++;
  }
  const commands = [...known.values()].toSorted((one, other) => other.count - one.count);
  return { commands, rejected, incomplete, held, log };
}

type Wanting = HeldCommand & { readonly wanted: WantedGrants };

function lessonsFrom(wanting: readonly Wanting[]): readonly Lesson[] {
  const hosts = lentHosts(wanting);
  const own = new Set(
    hosts.flatMap(({ argvs }) => (argvs.length === 1 ? argvs.map((argv) => JSON.stringify(argv)) : [])),
  );
  const argvs = new Map(
    wanting
      .flatMap(({ wanted }) => wanted.argvs)
      .map((argv) => [JSON.stringify(argv), argv] as const)
      .filter(([key]) => !own.has(key)),
  );
  const rules = generalise([...argvs.values()]).map((shape) =>
    lesson(
      ruleAddition(shape),
      wanting.filter(({ wanted }) => wanted.argvs.some((argv) => covers(shape, argv))),
      applyRule(shape),
    ),
  );
  return [...rules, ...hosts.map(hostLesson)].toSorted((one, other) => other.count - one.count).slice(0, MAX_LESSONS);
}

interface WantedHost {
  readonly host: string;
  readonly users: readonly Wanting[];
  /** The commands that reach it. */
  readonly argvs: readonly (readonly string[])[];
}

function lentHosts(wanting: readonly Wanting[]): readonly WantedHost[] {
  return [...new Set(wanting.flatMap(({ wanted }) => wanted.hosts.map(({ host }) => host)))].map((host) => {
    const users = wanting.filter(({ wanted }) => wanted.hosts.some((one) => one.host === host));
    const reaching = users.flatMap(({ wanted }) => wanted.hosts.filter((one) => one.host === host));
    return { host, users, argvs: distinct(reaching.map(({ argv }) => argv)) };
  });
}

/** A host that one command uses is lent to it. One that several use is opened to all, and the lesson says so. */
function hostLesson({ host, users, argvs }: WantedHost): Lesson {
  const [only = []] = argvs;
  if (argvs.length > 1)
    return lesson({ ...NOTHING_ADDED, hosts: [host] }, users, `${hostCommand(host)}   # every command`);
  const shape = { argv: only, exact: true };
  const { rules } = ruleAddition(shape);
  return lesson(
    { ...NOTHING_ADDED, rules: rules.map((rule) => ({ ...rule, hosts: [host] })) },
    users,
    applyRule(shape),
  );
}

function lesson(addition: PolicyAddition, commands: readonly Wanting[], apply: string): Lesson {
  const count = commands.reduce((sum, command) => sum + command.count, 0);
  return { addition, count, examples: commands.slice(0, MAX_EXAMPLES).map(({ command }) => command), apply };
}

function ruleAddition({ argv, exact }: RuleShape): PolicyAddition {
  const because = "proposed by signalbox guard learn";
  const rule = ruleFor(argv.map(shQuote).join(" "), { prefix: !exact, because, outside: false });
  return typeof rule === "string" ? NOTHING_ADDED : { ...NOTHING_ADDED, rules: [{ ...rule, argv }] };
}

function applyRule({ argv, exact }: RuleShape): string {
  const command = argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : shQuote(word))).join(" ");
  return `signalbox guard allow ${exact ? "" : "--prefix "}${shQuote(command)}`;
}

/** What a policy would need to let one command pass: the words of each part that no rule covers, and hosts. */
interface WantedGrants {
  readonly argvs: readonly (readonly string[])[];
  readonly hosts: readonly { readonly host: string; readonly argv: readonly string[] }[];
}

const LEARNABLE = new Set(["no-rule", "option-unknown", "subcommand", "make-variable", "network-unlisted"]);

/** Programs that send, deploy, delete or take rights, or that start signalbox itself. */
const NEVER = new Set(
  "signalbox sudo su doas pkexec ssh scp rsync sftp ftp mail sendmail twine gh glab aws gcloud az kubectl terraform tofu helm docker podman vercel netlify heroku fly rm shred dd truncate kill pkill killall".split(
    " ",
  ),
);

const SENDING_WORDS = new Set("push publish upload deploy release login send apply merge destroy delete".split(" "));

const SENDING_OPTION =
  /^(?:-d|-F|-T|-X|--(?:data|form|upload|request|post|method|body|json)(?:[-=].*)?|--json|-[dFTX].+)$/;

/** What a command wants, or undefined when learning must not propose to allow it. */
function wantedBy(decision: Decision): WantedGrants | undefined {
  const objections = objectionsOf(decision);
  if (objections.length === 0 || decision.effects.some(({ kind }) => kind === "delete")) return undefined;
  if (!objections.every(({ code }) => LEARNABLE.has(code))) return undefined;
  const argvs = objections.filter(isAboutArgv).map(({ fragment }) => ruleWords(fragment));
  const known = argvs.filter((argv) => typeof argv !== "string");
  if (known.length < argvs.length || known.some(sends)) return undefined;
  const hosts = objections.map((finding) => {
    const grant = grantOf(finding);
    const argv = ruleWords(finding.command ?? "");
    return grant?.kind === "host" ? { host: grant.target, argv: typeof argv === "string" ? [] : argv } : undefined;
  });
  const reached = hosts.filter((host) => host !== undefined);
  if (reached.some(({ argv }) => argv.length === 0 || sends(argv))) return undefined;
  return { argvs: distinct(known), hosts: reached };
}

const isAboutArgv = (finding: GuardFinding) => grantOf(finding) === undefined;

function sends([program = "", ...words]: readonly string[]): boolean {
  return (
    NEVER.has(program.split("/").at(-1) ?? "") ||
    words.slice(0, 3).some((word) => SENDING_WORDS.has(word)) ||
    words.some((word) => SENDING_OPTION.test(word) && /^(?:curl|wget|http|https|xh)$/.test(program))
  );
}

function distinct(argvs: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(argvs.map((argv) => [JSON.stringify(argv), argv])).values()];
}

/** The words of a rule, and whether it stands for that one argv alone. */
interface RuleShape {
  readonly argv: readonly string[];
  readonly exact: boolean;
}

/**
 * The narrowest rules that cover these argvs: an argv that stands alone exactly, and several that share program and
 * first word by the words that they have in common.
 */
function generalise(argvs: readonly (readonly string[])[]): readonly RuleShape[] {
  const groups = Map.groupBy(argvs, ([program, first]) => JSON.stringify([program, first]));
  return [...groups.values()].flatMap((group) => {
    const exact = group.map((argv) => ({ argv, exact: true }));
    if (group.length < 2) return exact;
    const shared = { argv: group.reduce(commonStart), exact: false };
    return shared.argv.length >= 2 && isNarrow(shared) ? [shared] : exact;
  });
}

function commonStart(one: readonly string[], other: readonly string[]): readonly string[] {
  const end = one.findIndex((word, index) => word !== other[index]);
  return end === -1 ? one : one.slice(0, end);
}

function covers({ argv, exact }: RuleShape, words: readonly string[]): boolean {
  return (!exact || argv.length === words.length) && argv.every((word, index) => word === words[index]);
}

/** Whether a policy file may contain it: `node` or `bash -c` alone may not. */
function isNarrow({ argv, exact }: RuleShape): boolean {
  try {
    const rules = [{ id: "learnt", argv, exact, because: "learnt" }];
    readPolicyFile(addToPolicy(NEW_POLICY, { ...NOTHING_ADDED, rules }), "learnt");
    return true;
  } catch (error) {
    if (isUserError(error)) return false;
    throw error;
  }
}
