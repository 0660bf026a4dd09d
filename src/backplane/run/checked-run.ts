import type { HostEnd } from "../../contract/host-end.ts";
import type { WorkCheck } from "./acceptance.ts";
import type { WorkedRun } from "./open-run.ts";
import type { RunStep } from "./run-parts.ts";

/** A run with what the checks found. `host`, `end` and `checked` are those of its current round. */
export interface CheckedRun extends WorkedRun {
  readonly checked?: WorkCheck;
  /** The rounds before, whose results were not accepted. */
  readonly earlier?: readonly EndedRound[];
}

interface EndedRound {
  readonly host: WorkedRun["host"] | undefined;
  readonly end: HostEnd | undefined;
  readonly checked: WorkCheck;
}

/** The current state of the run, and the next step to show, if any. */
export interface WorkStep<Run extends CheckedRun = CheckedRun> {
  readonly run: Run;
  readonly step?: RunStep;
}
