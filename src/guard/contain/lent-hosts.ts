import type { Policy, Rule } from "../../contract/policy.ts";
import type { Decision, GuardFinding } from "../../contract/verdict.ts";
import { areAll, ON_ITS_OWN } from "./leaves-alone.ts";

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
