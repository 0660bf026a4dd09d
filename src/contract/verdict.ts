import type { HeldPart, Need } from "./agent-call.ts";

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
  /** The command that it belongs to, where the fragment is only a word of it. */
  readonly command?: string | undefined;
  /** What would be accepted instead. */
  readonly instead?: string | undefined;
  /** The parts of the sandbox that make this harmless, which is why its verdict is `allow`. */
  readonly heldBy?: readonly HeldPart[] | undefined;
  /** What the sandbox does not give and approving it would. */
  readonly need?: Need | undefined;
}

/** A policy file that would have changed a decision if the user trusted it. */
export interface IgnoredNotice {
  readonly file: string;
  readonly changed: boolean;
  /** True when it would allow the whole call, false when it would only answer some of the objections. */
  readonly allows: boolean;
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
  /**
   * True when the command, once allowed or approved, runs in the session's sandbox; false when it leaves a sandbox that
   * there is. Missing without one.
   */
  readonly contained?: boolean | undefined;
  /** What approving it would lend or run outside; for `deny` without a person, what was missing. */
  readonly needs?: readonly Need[] | undefined;
  /** A file that is ignored for want of trust and would have made this decision less strict. */
  readonly ignored?: IgnoredNotice | undefined;
}

/** One line of the audit log. Written before the tool runs. */
export interface AuditEntry {
  readonly time: string;
  readonly session: string;
  readonly agent: string;
  readonly tool: string;
  /** The call, with secrets redacted. */
  readonly call: string;
  readonly cwd: string;
  readonly effects: readonly string[];
  readonly verdict: Verdict;
  readonly code: string;
  readonly rules: readonly string[];
  /** Why it was not simply allowed. Missing in records of early releases. */
  readonly because?: string;
  /** Whether the command runs in the session's sandbox, or leaves it. Missing without one. */
  readonly contained?: boolean;
  /** Hash of the policy that made the decision. */
  readonly policy: string;
}
