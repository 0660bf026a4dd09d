/** What may happen to a call. `ask` needs a person; without one it becomes `deny`. */
export type Verdict = "allow" | "ask" | "deny";

const STRICTNESS: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };

/** The stricter of two verdicts: `deny` over `ask` over `allow`. */
export function stricter(one: Verdict, other: Verdict): Verdict {
  return STRICTNESS[one] >= STRICTNESS[other] ? one : other;
}

/** True when `one` leaves less room than `other`. */
export function isStricter(one: Verdict, other: Verdict): boolean {
  return STRICTNESS[one] > STRICTNESS[other];
}

/** One reason for a verdict. The strictest finding of a call decides it; the others explain it. */
export interface Finding {
  readonly verdict: Verdict;
  /** A stable code, like `path-denied`. */
  readonly code: string;
  /** The rule behind it: a rule of a policy, or the name of a floor. */
  readonly rule: string;
  readonly because: string;
  /** The part of the call that it is about, unescaped. */
  readonly fragment: string;
  /** What would be accepted instead. */
  readonly instead?: string | undefined;
}

/** In the order in which they are worth telling: "no rule knows this" says least, so it comes last. */
export function tellingFirst(findings: readonly Finding[]): readonly Finding[] {
  const weak = ({ code }: Finding) => Number(code === "no-rule");
  return findings.toSorted((one, other) => weak(one) - weak(other));
}
