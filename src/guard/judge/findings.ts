import type { Policy, Rule } from "../../contract/policy.ts";
import type { Decision, GuardFinding } from "../../contract/verdict.ts";

/** Most informative first: "no rule knows this" says least, so it comes last. */
export function mostInformativeFirst(findings: readonly GuardFinding[]): readonly GuardFinding[] {
  const weak = ({ code }: GuardFinding) => Number(code === "no-rule");
  return findings.toSorted((one, other) => weak(one) - weak(other));
}

/** For what would leave the sandbox unasked if it were alone. */
export const ON_ITS_OWN = "run it as a call of its own";

/** Programs that print or filter. All else could run what the agent wrote, such as a test or a script. */
const PRINTING = /^(?:look-at-files|work-on-text)(?:\.|$)/;

const RULE_CODES = ["rule-allow", "rule-any", "no-rule"];

/**
 * True when every program of an allowed line may leave the sandbox: a rule takes it out, or it only prints. What is
 * harmless only inside must not come along with what leaves.
 */
export const leavesAlone = (decision: Decision, policy: Policy): boolean =>
  areAll(decision, policy, ({ contained }) => contained === false);

/** True when every program of an allowed line is allowed by such a rule, or only prints. */
function areAll({ findings }: Decision, { rules }: Policy, isSuch: (rule: Rule) => boolean): boolean {
  return findings
    .filter(({ code, verdict }) => verdict === "allow" && RULE_CODES.includes(code))
    .every(({ rule }) => {
      const named = rules.filter(({ id }) => id === rule);
      return (
        named.length > 0 && named.every((one) => isSuch(one) || (one.source === "preset" && PRINTING.test(one.id)))
      );
    });
}

/** A host that a rule lends to one command. */
export const isHostLent = ({ code }: GuardFinding): boolean => code === "network-lent";

/**
 * What is lent is lent to the whole line. So a rule only lends where everything else in the line merely prints or
 * filters, and would be allowed without a sandbox too.
 */
export function lendsAlone(outside: Decision | undefined, policy: Policy): boolean {
  return outside?.verdict === "allow" && areAll(outside, policy, ({ hosts }: Rule) => hosts !== undefined);
}

/** The same finding where the host is not lent after all. */
export function notLent(finding: GuardFinding, { network }: Policy): GuardFinding {
  if (!isHostLent(finding) || finding.need === undefined) return finding;
  const because = `${finding.need.because}; a rule lends it to \`${finding.command ?? ""}\` alone`;
  const { unlisted: verdict } = network;
  return { ...finding, verdict, code: "network-unlisted", rule: "network", because, instead: ON_ITS_OWN };
}
