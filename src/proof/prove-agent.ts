import { tryLaunchCheck } from "./plan-launch-check.ts";
import { FAULT_IDS, GUARANTEE_IDS, type GuaranteeId } from "./guarantees.ts";
import { tryAgentFile, tryCalls, tryConversation, tryPatches, tryStopGate, trySubAgent } from "./plan-calls.ts";
import { CONTAINED_IDS, tryContained, tryNothingLeft } from "./plan-contained.ts";
import { tryFaults } from "./faults.ts";
import { tryInstructions, trySwitches, tryUntrustedFolder } from "./plan-repository.ts";
import { tryManaged, tryOwnRule } from "./plan-own-rules.ts";
import type { TrialPlace } from "./trial-place.ts";
import { type GuaranteeResult, judgeTrials, type Trial } from "./trial.ts";

interface Plan {
  readonly what: string;
  /** The guarantees that this plan tests. */
  readonly ids: readonly GuaranteeId[];
  readonly play: (stage: TrialPlace) => Promise<readonly Trial[]>;
}

/** The plans, in order. The quick ones come first, so that a broken guard is found early. */
const PLANS: readonly Plan[] = [
  { what: "calls", ids: ["deny", "parallel"], play: tryCalls },
  { what: "patches", ids: ["patch"], play: tryPatches },
  { what: "a conversation", ids: ["bypass-flag", "prompt-64k", "resume"], play: tryConversation },
  { what: "a sub-agent", ids: ["sub-agent"], play: trySubAgent },
  { what: "a sub-agent of a file", ids: ["agent-file"], play: tryAgentFile },
  { what: "an administrator's settings", ids: ["managed-bypass"], play: tryManaged },
  { what: "a hostile repository", ids: ["untrusted-folder"], play: tryUntrustedFolder },
  { what: "switches", ids: ["repository-switches"], play: trySwitches },
  { what: "instructions", ids: ["instructions"], play: tryInstructions },
  { what: "a refused stop", ids: ["stop-gate"], play: tryStopGate },
  { what: "a check", ids: ["launch-check"], play: tryLaunchCheck },
  { what: "the sandbox", ids: CONTAINED_IDS, play: tryContained },
  { what: "what is left", ids: ["nothing-left"], play: tryNothingLeft },
  { what: "the agent's own rules", ids: ["own-deny-rule", "own-ask-rule"], play: tryOwnRule },
  { what: "faults", ids: FAULT_IDS, play: tryFaults },
];

export interface Proving {
  readonly signal: AbortSignal;
  readonly tell: (progress: string) => void;
  /** Test only these guarantees; all if undefined. */
  readonly only?: readonly GuaranteeId[] | undefined;
}

/** Runs the plans with one agent and judges the guarantees. */
export async function proveAgent(
  stage: TrialPlace,
  { signal, tell, only }: Proving,
): Promise<readonly GuaranteeResult[]> {
  const tested = only ?? GUARANTEE_IDS;
  const trials: Trial[] = [];
  for (const { what, play } of PLANS.filter(({ ids }) => ids.some((id) => tested.includes(id)))) {
    signal.throwIfAborted();
    tell(`${stage.name}: ${what}`);
    trials.push(...(await play(stage)));
  }
  signal.throwIfAborted();
  return tested.map((id) => judgeTrials(id, trials));
}
