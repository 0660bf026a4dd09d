import { HELD_PARTS } from "../../contract/agent-call.ts";
import type { ForeignRule, ForeignVerdict } from "../../contract/foreign-rule.ts";
import type { Policy } from "../../contract/policy.ts";
import type { Verdict } from "../../contract/verdict.ts";
import type { ImportedRule } from "../../guard/allow/plan-import.ts";
import { judge } from "../../guard/judge/judge.ts";
import { screenedMachine } from "../screened-machine.ts";
import type { CorpusCall } from "./corpus.ts";

/** A call that signalbox would let pass where the agent does not. */
interface LooserCall {
  readonly call: string;
  readonly theirs: string;
  readonly ours: Verdict;
  /** The rule that it was made for. */
  readonly where?: string | undefined;
}

export interface RuleComparison {
  readonly tried: number;
  /** Calls that the agent could not be asked about. */
  readonly untried: number;
  readonly looser: readonly LooserCall[];
  readonly rules: readonly ImportedRule[];
}

interface Policies {
  readonly was: Policy;
  readonly will: Policy;
  /** The folder of the check, which is its workspace and its home. */
  readonly folder: string;
}

/**
 * Compares the answers of the agent with ours. Looser is a call that the agent denies and we do not; one that its rule
 * asks about and we allow; and one that only the new rules allow although no rule of the agent does. Commands are judged
 * without a sandbox and in one. A rule that turns out stricter on an ordinary call is reported as stricter.
 */
export function compare(
  calls: readonly CorpusCall[],
  answers: readonly ForeignVerdict[],
  rules: readonly ImportedRule[],
  policies: Policies,
): RuleComparison {
  const looser: LooserCall[] = [];
  const stricter = new Map<ForeignRule, string>();
  const asked = new Set<ForeignRule>();
  const at = judgesIn(policies);
  let tried = 0;
  for (const [index, call] of calls.entries()) {
    const theirs = answers[index];
    if (theirs === undefined) continue;
    tried++;
    if (call.rule !== undefined) asked.add(call.rule);
    const [before, after, contained] = [at.was(call), at.will(call), at.contained(call)];
    const { rule } = call;
    const where = rule?.where;
    const shown = { call: `${call.tool} ${call.target}`, theirs: SAYS[theirs], where };
    if (theirs === "deny" && after !== "deny") looser.push({ ...shown, ours: after });
    else if (theirs === "deny" && contained !== "deny") looser.push({ ...shown, ours: contained });
    else if (isLoosened(call, theirs, { before, after, contained })) looser.push({ ...shown, ours: "allow" });
    else if (rule !== undefined && !call.isRespelled && isTightened(theirs, before, after))
      stricter.set(rule, stricter.get(rule) ?? `${call.target}: ${SAYS[theirs]} there, ${after} here`);
  }
  return {
    tried,
    untried: calls.length - tried,
    looser,
    rules: rules.map((one) => {
      if (one.part === "none") return one;
      if (!asked.has(one.rule)) return { ...one, because: one.because === "" ? UNTRIED : `${one.because}; ${UNTRIED}` };
      const example = stricter.get(one.rule);
      return one.part === "stricter" || example === undefined ? one : { ...one, part: "stricter", because: example };
    }),
  };
}

/** Rules that restrict and are not taken: whatever they are about would be looser. */
export const lostRules = (rules: readonly ImportedRule[]): readonly ImportedRule[] =>
  rules.filter(({ rule: { subject, verdict }, part }) =>
    subject.kind === "none" ? subject.isLost === true : part === "none" && verdict !== "allow",
  );

const UNTRIED = "no call for it could be tried";

const SAYS = { allow: "allow", ask: "ask", deny: "deny", none: "no rule" } as const;

interface Ours {
  readonly before: Verdict;
  readonly after: Verdict;
  readonly contained: Verdict;
}

function isLoosened(call: CorpusCall, theirs: Verdict | "none", { before, after, contained }: Ours): boolean {
  if (theirs !== "ask" && theirs !== "none") return false;
  const isAsked =
    theirs === "ask" || (call.isMatch && call.rule?.verdict === "ask" && call.rule.subject.kind !== "none");
  if (isAsked) return after === "allow" || contained === "allow";
  return after === "allow" && before !== "allow";
}

const STRICTNESS = { allow: 0, ask: 1, none: 1, deny: 2 } as const;

const isTightened = (theirs: Verdict | "none", before: Verdict, after: Verdict) =>
  STRICTNESS[after] > STRICTNESS[theirs] && (theirs === "allow" || STRICTNESS[after] > STRICTNESS[before]);

function judgesIn({ was, will, folder }: Policies) {
  const here = (policy: Policy): Policy => ({ ...policy, workspaceRoot: `${folder}/work`, home: folder });
  const judgeWith = (policy: Policy, contained?: typeof HELD_PARTS) => (call: CorpusCall) =>
    judge(
      { tool: call.tool, input: inputOf(call), cwd: policy.workspaceRoot },
      policy,
      contained === undefined ? screenedMachine : { ...screenedMachine, contained, recoverable: () => true },
    ).verdict;
  return { was: judgeWith(here(was)), will: judgeWith(here(will)), contained: judgeWith(here(will), HELD_PARTS) };
}

function inputOf({ tool, target }: CorpusCall): Readonly<Record<string, string>> {
  if (tool === "Bash") return { command: target };
  return tool === "WebFetch" ? { url: target } : { file_path: target, ...(tool === "Write" ? { content: "x" } : {}) };
}
