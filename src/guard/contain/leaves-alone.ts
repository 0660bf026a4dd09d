import type { Policy, Rule } from "../../contract/policy.ts";
import type { Decision } from "../../contract/verdict.ts";

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
export function areAll({ findings }: Decision, { rules }: Policy, isSuch: (rule: Rule) => boolean): boolean {
  return findings
    .filter(({ code, verdict }) => verdict === "allow" && RULE_CODES.includes(code))
    .every(({ rule }) => {
      const named = rules.filter(({ id }) => id === rule);
      return (
        named.length > 0 && named.every((one) => isSuch(one) || (one.source === "preset" && PRINTING.test(one.id)))
      );
    });
}
