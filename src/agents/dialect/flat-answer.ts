import type { Payload } from "../../contract/dialect.ts";
import type { HookAnswer } from "../../contract/hook-answer.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { isStop, reasonText } from "./hook-event.ts";

/** Copilot's shape of an answer: decisions are top-level fields. */
export function flatAnswer(event: HookEventName, answer: HookAnswer): Payload {
  if (isStop(event) || (event === "prompt-submitted" && answer.block !== undefined))
    return answer.block === undefined ? {} : { decision: "block", reason: answer.block };
  const { verdict, because, input, context } = answer;
  return {
    ...(event === "tool-before" && verdict !== undefined
      ? { permissionDecision: verdict, permissionDecisionReason: reasonText(because), message: reasonText(because) }
      : {}),
    ...(event === "tool-before" && input !== undefined && verdict !== "deny" ? { modifiedArgs: input } : {}),
    ...(context === undefined ? {} : { additionalContext: context }),
  };
}
