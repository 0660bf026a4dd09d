import type { PolicyRule } from "../../contract/policy-file.ts";
import { fakeMachine } from "../machine/fake-machine.ts";
import { judge } from "../judge/judge.ts";
import { PRESETS } from "../presets/presets.ts";
import type { Policy } from "../../contract/policy.ts";

/** A rule's example that does not get the expected verdict. */
export interface FailedExample {
  readonly rule: string;
  readonly example: string;
  readonly message: string;
}

/** Runs the examples of a rule against the rule alone. */
export function tryExamples(rule: PolicyRule): readonly FailedExample[] {
  const fallback = rule.verdict === "allow" ? "ask" : "allow";
  const policy: Policy = {
    ...PRESETS.default,
    version: 1,
    workspaceRoot: "/workspace",
    home: "/home/user",
    rules: [{ id: rule.id, source: "example", verdict: rule.verdict, argv: rule.argv, exact: rule.exact, because: "" }],
    fallback,
  };
  const applies = (command: string): boolean => {
    const decision = judge({ tool: "Bash", input: { command } }, policy, fakeMachine({}));
    return rule.verdict === "allow"
      ? decision.verdict === "allow"
      : decision.findings.some((finding) => finding.rule === rule.id);
  };
  return [
    ...rule.match
      .filter((example) => !applies(example))
      .map((example) => ({
        rule: rule.id,
        example,
        message: `the rule ${rule.id} should match ${JSON.stringify(example)} but does not`,
      })),
    ...rule.not_match.filter(applies).map((example) => ({
      rule: rule.id,
      example,
      message: `the rule ${rule.id} should not match ${JSON.stringify(example)} but does`,
    })),
  ];
}
