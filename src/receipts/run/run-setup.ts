import type { AgentEvent } from "../../contract/agent-event.ts";
import type { Receipt } from "../../contract/receipt.ts";
import type { SealFacts } from "../../contract/seal.ts";
import type { JudgeExtras } from "../../guard/judge/judge.ts";
import type { Policy } from "../../contract/policy.ts";
import type { RedactOptions } from "../../guard/redact.ts";
import type { Machine } from "../../contract/machine.ts";
import type { CheckEnd } from "../acceptance/accept-work.ts";
import type { OpenHost } from "../host.ts";

/** What all runs on this machine have in common. */
export interface RunSetting {
  /** The signalbox home of this user. */
  readonly home: string;
  /** The version of signalbox. */
  readonly version: string;
  readonly processes: Processes;
  /** Secrets to redact from receipts and logs. */
  readonly secrets: RedactOptions;
}

/** Everything a run needs from outside. */
export interface RunSetup extends RunSetting {
  readonly agent: string;
  readonly openHost: OpenHost;
  /** Relative roots are resolved against this folder. */
  readonly cwd: string;
  /** This machine's policy for that folder. */
  readonly policy: Policy;
  readonly world: Machine & JudgeExtras;
  /** Commands that must succeed on the final tree. */
  readonly accept: readonly string[];
  /** How many times the agent may try until they do; 1 by default. All other limits hold for all rounds together. */
  readonly rounds?: number | undefined;
  /** They run in the sandbox that the policy asks for, unless this is false. */
  readonly containChecks?: boolean | undefined;
  /** Patterns of more files that decide them, and of files that the task may change. */
  readonly acceptKeep?: readonly string[] | undefined;
  readonly acceptChanged?: readonly string[] | undefined;
  readonly limits: RunLimits;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
  /** Answers for the user where the rules ask for approval. Without it, such a call is denied. */
  readonly onApproval?: OnApproval | undefined;
}

export const MAX_ROUNDS = 100;

/** A call that the rules allow only with approval. */
export interface ApprovalRequest {
  readonly runId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly root: string;
  /** Why approval is needed. */
  readonly because: string;
}

/** True approves this one call. A throw is a denial. */
export type OnApproval = (request: ApprovalRequest) => Promise<boolean> | boolean;

/** What a run reports while it is active. The last step is `run-end`. Every event is on disk before it is reported. */
export type RunStep =
  | { readonly type: "run-start"; readonly runId: string; readonly root: string }
  | { readonly type: "event"; readonly event: AgentEvent; readonly progress: Progress }
  | RunEnd;

export interface RunEnd {
  readonly type: "run-end";
  readonly runId: string;
  readonly receipt: Receipt;
  /** The file in the store that has the receipt's canonical bytes. */
  readonly receiptFile: string;
  readonly facts: SealFacts;
  readonly exitCode: number;
  /** Why the run ended this way, as a sentence. */
  readonly because: string;
  /** What the user can do about it, if that is known. */
  readonly fix?: string | undefined;
  /** The patch of a staged run, for `apply`. */
  readonly patch: string | undefined;
}

/**
 * What the runtime needs from the operating system's processes. Passed in, because ending process trees belongs to
 * another room.
 */
export interface Processes {
  /** Ends all processes of a run. Returns how many could not be ended. */
  readonly endRun: (runId: string) => Promise<number>;
  /** The environment of checks. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Runs one of the user's checks to completion. */
  readonly runCheck: (check: Check) => Promise<CheckEnd>;
}

export interface Check {
  readonly runId: string;
  /** As typed in a shell. */
  readonly command: string;
  /** The sandbox that it runs in, because it runs what the agent wrote. Undefined: it runs outside. */
  readonly sandbox?: CheckSandbox | undefined;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface CheckSandbox {
  readonly policy: Policy;
  /** The signalbox home of this user. */
  readonly home: string;
  /** The agent's commands were contained, so the check does not run where it cannot be. */
  readonly isRequired: boolean;
}

/** The limits of a run. We count ourselves and don't rely on the agent's numbers. */
export interface RunLimits {
  readonly maxTurns: number | null;
  readonly maxBudgetUsd: number | null;
  readonly wallMs: number;
  /** The longest time without an event. */
  readonly idleMs: number;
  /** How long a host may take to end after it is stopped. */
  readonly graceMs: number;
  readonly maxEvents: number;
  /** How many times in a row the same call may have the same result; half as often for a cycle of several calls. */
  readonly maxRepeats: number;
}

export const USUAL_LIMITS: RunLimits = {
  maxTurns: null,
  maxBudgetUsd: null,
  wallMs: 6 * 60 * 60 * 1000,
  idleMs: 30 * 60 * 1000,
  graceMs: 5000,
  maxEvents: 250_000,
  maxRepeats: 20,
};

export interface Progress {
  readonly turns: number;
  readonly costUsd: number;
  readonly tokens: number;
}
