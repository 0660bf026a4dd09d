import type { Verdict } from "./verdict.ts";

/** What one line of the audit log says. Written before the tool runs. */
export interface AuditEntry {
  readonly time: string;
  readonly session: string;
  readonly agent: string;
  readonly tool: string;
  /** The call without secrets. */
  readonly call: string;
  readonly cwd: string;
  readonly effects: readonly string[];
  readonly verdict: Verdict;
  readonly code: string;
  readonly rules: readonly string[];
  /** Hash of the policy that decided. */
  readonly policy: string;
}
