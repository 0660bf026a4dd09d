/** What may happen to a call. `ask` needs a person; without one it becomes `deny`. */
export type Verdict = "allow" | "ask" | "deny";

/** One reason for a verdict. The strictest finding of a call decides it; the others explain it. */
export interface GuardFinding {
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

/** Something that a call would do, for people. */
export interface SeenEffect {
  readonly kind: string;
  readonly target: string;
}

/** What the judge says about one call. */
export interface Decision {
  readonly verdict: Verdict;
  /** The code of the finding that decided. */
  readonly code: string;
  /** Rules and floors that spoke for this verdict. */
  readonly rules: readonly string[];
  readonly because: string;
  readonly findings: readonly GuardFinding[];
  readonly effects: readonly SeenEffect[];
}
