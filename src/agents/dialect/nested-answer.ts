import type { HookAnswer } from "../../contract/hook-answer.ts";
import { isStop } from "./hook-event.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import type { Payload } from "../../contract/dialect.ts";

/** Claude Code's shape of an answer, which Codex uses too: decisions are inside `hookSpecificOutput`. */
export function nestedAnswer(event: HookEventName, answer: HookAnswer, hookEventName: string): Payload {
  if (isStop(event) || (event === "prompt-submitted" && answer.block !== undefined))
    return answer.block === undefined ? {} : { decision: "block", reason: answer.block };
  const specific = {
    ...(event === "tool-before" ? toolAnswer(answer) : {}),
    ...(answer.context === undefined || answer.verdict === "deny" ? {} : { additionalContext: answer.context }),
  };
  return Object.keys(specific).length === 0 ? {} : { hookSpecificOutput: { hookEventName, ...specific } };
}

function toolAnswer({ verdict, because, input }: HookAnswer): Payload {
  return {
    ...(verdict === undefined ? {} : { permissionDecision: verdict, permissionDecisionReason: reasonText(because) }),
    ...(input === undefined || verdict === "deny" ? {} : { updatedInput: input }),
  };
}

const MAX_REASON = 4000;

/** Codex ignores a denial without a reason, and Copilot hangs on a very long one. */
export const reasonText = (because: string | undefined) =>
  because === undefined || because.trim() === "" ? "decided by signalbox" : because.slice(0, MAX_REASON);
