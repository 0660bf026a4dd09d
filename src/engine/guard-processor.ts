import type { Permit } from "../contract/tool.ts";
import type { CallRuling, Processor } from "./processor.ts";

/** The guard's place in the loop: the last processor, so that it judges what hooks have changed. */
export function guardProcessor(permit: Permit): Processor {
  return {
    name: "the guard",
    async preTools(calls, signal) {
      const rulings: CallRuling[] = [];
      // One after the other: a person can answer only one question at a time.
      for (const call of calls) {
        const permission = await permit(call, signal);
        if (permission.verdict === "allow") continue;
        rulings.push({ kind: permission.verdict, callId: call.id, because: permission.because });
        if (permission.verdict === "reject") break;
      }
      return rulings;
    },
  };
}
