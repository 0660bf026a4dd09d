import { FAULT_IDS, type GuaranteeId } from "./guarantees.ts";

/** Which try shows a guarantee. One that is not listed here is looked for in all of them. */
const SHOWN_BY: Readonly<Partial<Record<GuaranteeId, string>>> = {
  deny: "calls",
  parallel: "calls",
  patch: "patches",
  "sub-agent": "a sub-agent",
  "bypass-flag": "a conversation",
  "prompt-64k": "a conversation",
  resume: "a conversation",
  "untrusted-folder": "a hostile repository",
  "repository-switches": "switches",
  instructions: "instructions",
  "stop-gate": "a refused stop",
  ...Object.fromEntries(FAULT_IDS.map((id) => [id, "faults"])),
};

/** The tries that are needed to judge these guarantees; all of them when none is chosen. */
export function chosenPlans<Plan extends { readonly what: string }>(
  plans: readonly Plan[],
  only: readonly GuaranteeId[],
): readonly Plan[] {
  if (only.length === 0 || only.some((id) => SHOWN_BY[id] === undefined)) return plans;
  return plans.filter(({ what }) => only.some((id) => SHOWN_BY[id] === what));
}
