import { grantOf } from "./grant-of.ts";
import type { Policy } from "../../contract/policy.ts";
import type { Decision, GuardFinding } from "../../contract/verdict.ts";

/**
 * Questions about a command that an exact rule of the user's own answers. All others stay: floors, denials, injected
 * text, and what is only known at run time.
 */
const ANSWERED_BY_RULE = new Set([
  "no-rule",
  "network-implied",
  "foreign-code",
  "git-overwrites",
  "git-rewrites",
  "installs",
  "make-variable",
  "moves-out",
  "option-unknown",
  "subcommand",
  "throws-away",
]);

/** How a policy file could lift an objection: by a rule for the command, or by listing a host or a path. */
export function liftedBy(finding: GuardFinding, policy: Policy): "rule" | "list" | undefined {
  if (grantOf(finding) !== undefined) return "list";
  // A rule takes the command out of the sandbox.
  if (finding.need?.kind === "outside" && finding.verdict === "ask") return "rule";
  if (ANSWERED_BY_RULE.has(finding.code)) return "rule";
  if (finding.code !== "rule-ask") return undefined;
  return policy.rules.some(({ id, source, verdict }) => id === finding.rule && source === "preset" && verdict === "ask")
    ? "rule"
    : undefined;
}

export const objectionsOf = ({ findings }: Decision): readonly GuardFinding[] =>
  findings.filter(({ verdict }) => verdict !== "allow");
