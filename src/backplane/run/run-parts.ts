import type { AgentEvent } from "../../contract/agent-event.ts";
import type { Receipt } from "../../contract/receipt.ts";
import type { SealFacts } from "../../contract/seal.ts";
import type { JudgeExtras } from "../../guard/judge/judge.ts";
import type { Policy } from "../../contract/policy.ts";
import type { RedactOptions } from "../../guard/redact/redact.ts";
import type { Machine } from "../../contract/machine.ts";
import type { OpenHost } from "../host.ts";

/** What every run on this machine has in common. */
export interface RunSetting {
  /** Where signalbox keeps what belongs to the person. */
  readonly home: string;
  /** The version of signalbox. */
  readonly version: string;
  readonly processes: Processes;
  /** What must not be in a receipt or a log. */
  readonly secrets: RedactOptions;
}

/** Everything a run needs from outside. */
export interface RunParts extends RunSetting {
  readonly agent: string;
  readonly openHost: OpenHost;
  /** The folder that a relative root starts from. */
  readonly cwd: string;
  /** The policy that holds on this machine for that folder. */
  readonly policy: Policy;
  readonly world: Machine & JudgeExtras;
  /** Commands that must succeed on the final tree. */
  readonly accept: readonly string[];
  readonly limits: RunLimits;
  /** Aborted when the person interrupts. */
  readonly signal: AbortSignal;
}

/** What a run shows while it goes on; the last step is `run-end`. Every event is on disk before it is shown. */
export type RunStep =
  | { readonly type: "run-start"; readonly runId: string; readonly root: string }
  | { readonly type: "event"; readonly event: AgentEvent; readonly progress: Progress }
  | RunEnd;

export interface RunEnd {
  readonly type: "run-end";
  readonly runId: string;
  readonly receipt: Receipt;
  readonly facts: SealFacts;
  readonly exitCode: number;
  /** Why it ended so, in a sentence. */
  readonly because: string;
  /** The patch of a staged run, to be brought back with `apply`. */
  readonly patch: string | undefined;
}

/** What the runtime needs of the system's processes. Passed in: the room that ends process trees is not ours. */
export interface Processes {
  /** Ends every process that belongs to a run. Returns how many would not go. */
  readonly endRun: (runId: string) => Promise<number>;
  /** Runs a check of the person's to its end. */
  readonly runCheck: (check: Check) => Promise<CheckEnd>;
}

export interface Check {
  readonly runId: string;
  /** As the person would type it in a shell. */
  readonly command: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface CheckEnd {
  /** Null when it did not end by itself. */
  readonly code: number | null;
  readonly because: string;
  /** The end of what it printed. */
  readonly output: string;
}

/** What a run may use. We count ourselves, whatever the agent says. */
export interface RunLimits {
  readonly maxTurns: number | null;
  readonly maxBudgetUsd: number | null;
  readonly wallMs: number;
  /** The longest silence. */
  readonly idleMs: number;
  /** How long a host may take to end after it was told to. */
  readonly graceMs: number;
  readonly mostEvents: number;
  /** How often the same call may have the same result in a row. */
  readonly mostRepeats: number;
}

export const USUAL_LIMITS: RunLimits = {
  maxTurns: null,
  maxBudgetUsd: null,
  wallMs: 6 * 60 * 60 * 1000,
  idleMs: 30 * 60 * 1000,
  graceMs: 5000,
  mostEvents: 250_000,
  mostRepeats: 20,
};

export interface Progress {
  readonly turns: number;
  readonly costUsd: number;
  readonly tokens: number;
}
