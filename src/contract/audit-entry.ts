import type { Verdict } from "./verdict.ts";

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
