import { join } from "node:path";
import { HELD_PARTS } from "../../contract/containment.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Policy } from "../../contract/policy.ts";
import { shQuote } from "../../lib/sh-quote.ts";
import { unifiedDiff } from "../../lib/unified-diff.ts";
import { addToPolicy, NEW_POLICY } from "../allow/add-to-policy.ts";
import { NOTHING_ADDED, type PolicyAddition } from "../allow/policy-addition.ts";
import { hostCommand } from "../allow/open-host.ts";
import { ruleFor } from "../allow/rule-for.ts";
import { policyNow } from "../allow/write-policy.ts";
import { recordedCommand, wasHeld } from "../audit/last-asked.ts";
import { type LogCounts, newCounts, readDecisions } from "../audit/read-decisions.ts";
import { judge, type JudgeExtras } from "../judge/judge.ts";
import { covers, generalise, type RuleShape } from "./generalise.ts";
import { distinct, type WantedGrants, wantedBy } from "./learnable.ts";

const MAX_LESSONS = 5;
const MAX_EXAMPLES = 2;
const MAX_COMMANDS = 5000;

export interface LearnPlace {
  readonly home: string;
  readonly policy: Policy;
  readonly machine: Machine & JudgeExtras;
  /** Only decisions from this time on, in milliseconds. */
  readonly since: number;
}

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

/** Finds the rules that would have saved most questions in this workspace, from the audit log. */
export function learn(place: LearnPlace): Learnt {
  const { commands, rejected, incomplete, held, log } = collect(place);
  const skipped = { incomplete, allowed: 0, never: 0 };
  const wanting: (HeldCommand & { readonly wanted: WantedGrants })[] = [];
  // The question would have been the same with somebody there.
  const policy = { ...place.policy, hash: undefined, interactive: true };
  for (const [index, known] of commands.entries()) {
    const { command, cwd, contained, count } = known;
    const machine = contained ? { ...place.machine, contained: HELD_PARTS } : place.machine;
    const decision = judge({ tool: "Bash", input: { command }, cwd }, policy, machine);
    const wanted = index < MAX_COMMANDS && !rejected.has(command) ? wantedBy(decision) : undefined;
    if (decision.verdict === "allow") skipped.allowed += count;
    else if (wanted === undefined) skipped.never += count;
    else wanting.push({ ...known, wanted });
  }
  const lessons = lessonsFrom(wanting);
  return { ...changeOf(lessons, place.home), lessons, held, skipped, log };
}

function changeOf(lessons: readonly Lesson[], home: string): Pick<Learnt, "file" | "diff"> {
  const file = join(home, "policy.yaml");
  const now = policyNow(file);
  const proposed = lessons.reduce((text, { addition }) => addToPolicy(text, addition), now ?? NEW_POLICY);
  return { file, diff: lessons.length === 0 ? "" : unifiedDiff(now ?? "", proposed, file) };
}

function collect({ home, policy, since }: LearnPlace) {
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
