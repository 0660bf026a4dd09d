import { chosenPlans } from "./chosen-plans.ts";
import { GUARANTEE_IDS, type GuaranteeId } from "./guarantees.ts";
import { tryCalls, tryConversation, trySubAgent } from "./plan-calls.ts";
import { tryFaults } from "./plan-faults.ts";
import { tryInstructions } from "./plan-instructions.ts";
import { tryPatches } from "./plan-patch.ts";
import { trySwitches, tryUntrustedFolder } from "./plan-repository.ts";
import { tryStopGate } from "./plan-stop.ts";
import type { Stage } from "./stage.ts";
import { type Finding, judgeTrials, type Trial } from "./trial.ts";

/** The tries, in order. The quick ones come first, so that a broken guard is found soon. */
const PLANS = [
  { what: "calls", play: tryCalls },
  { what: "patches", play: tryPatches },
  { what: "a conversation", play: tryConversation },
  { what: "a sub-agent", play: trySubAgent },
  { what: "a hostile repository", play: tryUntrustedFolder },
  { what: "switches", play: trySwitches },
  { what: "instructions", play: tryInstructions },
  { what: "a refused stop", play: tryStopGate },
  { what: "faults", play: tryFaults },
] as const;

export interface Proving {
  readonly signal: AbortSignal;
  readonly tell: (progress: string) => void;
  /** Judges these guarantees alone; all when it is left out. */
  readonly only?: readonly GuaranteeId[] | undefined;
}

/** Plays the tries with one agent and judges every guarantee that was asked for. */
export async function proveAgent(stage: Stage, { signal, tell, only = [] }: Proving): Promise<readonly Finding[]> {
  const trials: Trial[] = [];
  for (const { what, play } of chosenPlans(PLANS, only)) {
    signal.throwIfAborted();
    tell(`${stage.name}: ${what}`);
    trials.push(...(await play(stage)));
  }
  signal.throwIfAborted();
  return (only.length === 0 ? GUARANTEE_IDS : only).map((id) => judgeTrials(stage.name, id, trials));
}
