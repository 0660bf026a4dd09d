/** What happens to a call. `ask` needs a person's approval; with nobody to ask it becomes `deny`. */
export type Verdict = "allow" | "ask" | "deny";

/** One reason for a verdict. A call's strictest finding decides; the others explain. */
export interface GuardFinding {
  readonly verdict: Verdict;
  /** A stable code, such as `path-denied`. */
  readonly code: string;
  /** The rule behind it: a policy rule, or the name of a floor. */
  readonly rule: string;
  readonly because: string;
  /** The part of the call it refers to, unescaped. */
  readonly fragment: string;
  /** What would be accepted instead. */
  readonly instead?: string | undefined;
}

/** Something a call would do, in words for people. */
export interface SeenEffect {
  readonly kind: string;
  readonly target: string;
}

/** The judge's decision on one call. */
export interface Decision {
  readonly verdict: Verdict;
  /** The code of the finding that decided. */
  readonly code: string;
  /** Rules and floors that led to this verdict. */
  readonly rules: readonly string[];
  readonly because: string;
  readonly findings: readonly GuardFinding[];
  readonly effects: readonly SeenEffect[];
}
