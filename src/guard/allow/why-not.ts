import type { Policy, Rule } from "../../contract/policy.ts";
import type { GuardFinding } from "../../contract/verdict.ts";

/** Why no rule of the user's own can allow what a finding objects to, and what can be done instead. */
export function whyNot(finding: GuardFinding, policy: Policy): string {
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
