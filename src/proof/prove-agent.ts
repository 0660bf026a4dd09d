import { GUARANTEE_IDS } from "./guarantees.ts";
import { tryCalls, tryConversation, trySubAgent } from "./plan-calls.ts";
import { tryFaults } from "./plan-faults.ts";
import { tryOwnRule } from "./plan-own-rule.ts";
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
  { what: "a refused stop", play: tryStopGate },
  { what: "the agent's own rules", play: tryOwnRule },
  { what: "faults", play: tryFaults },
] as const;

export interface Proving {
  readonly signal: AbortSignal;
  readonly tell: (progress: string) => void;
}

/** Plays every try with one agent and judges every guarantee. */
export async function proveAgent(stage: Stage, { signal, tell }: Proving): Promise<readonly Finding[]> {
  const trials: Trial[] = [];
  for (const { what, play } of PLANS) {
    signal.throwIfAborted();
    tell(`${stage.name}: ${what}`);
    trials.push(...(await play(stage)));
  }
  signal.throwIfAborted();
  return GUARANTEE_IDS.map((id) => judgeTrials(stage.name, id, trials));
}
