import { answersPreset } from "../examine/match-rules.ts";
import { isStricter } from "../judge/judge.ts";
import type { Rule } from "../../contract/policy.ts";

/** A rule without any effect, and the rule that causes this. */
export interface IdleRule {
  readonly rule: string;
  readonly by: string;
  /** `shadowed`: a stricter rule always wins. `dead`: another rule with the same verdict covers it. */
  readonly kind: "shadowed" | "dead";
}

/** Rules that can never take effect. Compares only rules with the same first token, so that long lists stay fast. */
export function findIdleRules(rules: readonly Rule[]): readonly IdleRule[] {
  const byProgram = Map.groupBy(
    rules.flatMap((rule, order) => firstTokens(rule).map((name) => ({ rule, order, name }))),
    ({ name }) => name,
  );
  const idle = new Map<Rule, IdleRule>();
  for (const group of byProgram.values())
    for (const { rule, order } of group) {
      const cover = group
        .slice(0, 500)
        .find(
          (other) =>
            other.rule !== rule &&
            covers(other.rule, rule) &&
            !(answersPreset(rule) && other.rule.source === "preset" && other.rule.verdict === "ask") &&
            (isStricter(other.rule.verdict, rule.verdict) ||
              (other.rule.verdict === rule.verdict && other.order < order)),
        );
      if (cover !== undefined && !idle.has(rule))
        idle.set(rule, {
          rule: rule.id,
          by: cover.rule.id,
          kind: cover.rule.verdict === rule.verdict ? "dead" : "shadowed",
        });
    }
  return rules.flatMap((rule) => idle.get(rule) ?? []);
}

function firstTokens(rule: Rule): readonly string[] {
  const [first = "*"] = rule.argv;
  return typeof first === "string" ? [first] : first;
}

/** True if every argv that `rule` matches is also matched by `other`. */
function covers(other: Rule, rule: Rule): boolean {
  if (other.exact && !(rule.exact && other.argv.length === rule.argv.length)) return false;
  return other.argv.every((token, index) => {
    const narrow = rule.argv[index];
    if (narrow === undefined) return false;
    const wide = typeof token === "string" ? [token] : token;
    return (typeof narrow === "string" ? [narrow] : narrow).every((text) => wide.includes(text));
  });
}
