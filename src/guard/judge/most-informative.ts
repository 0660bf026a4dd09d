import type { GuardFinding } from "../../contract/verdict.ts";

/** Most informative first: "no rule knows this" says least, so it comes last. */
export function mostInformativeFirst(findings: readonly GuardFinding[]): readonly GuardFinding[] {
  const weak = ({ code }: GuardFinding) => Number(code === "no-rule");
  return findings.toSorted((one, other) => weak(one) - weak(other));
}
