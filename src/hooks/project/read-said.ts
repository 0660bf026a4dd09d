import { isRecord } from "../../lib/is-record.ts";
import type { Verdict } from "../../guard/verdict.ts";
import type { HookAnswer } from "../hook-answer.ts";

type Said = Readonly<Record<string, unknown>>;

/**
 * What a hook's object means. Hooks are written for many agents, so every known spelling is read; a decision that is
 * none of allow, ask and deny is `unclear`.
 */
export function readSaid(said: Said): HookAnswer & { readonly unclear?: string; readonly blocks: boolean } {
  const specific = isRecord(said["hookSpecificOutput"]) ? said["hookSpecificOutput"] : {};
  const decision = said["permissionDecision"] ?? specific["permissionDecision"];
  const input = specific["updatedInput"] ?? said["updatedInput"] ?? said["modifiedArgs"];
  const reason = [
    said["permissionDecisionReason"],
    specific["permissionDecisionReason"],
    said["message"],
    said["reason"],
  ].find((value) => typeof value === "string" && value !== "");
  const context = said["additionalContext"] ?? specific["additionalContext"];
  const verdict = readVerdict(decision);
  return {
    ...(verdict === undefined ? {} : { verdict }),
    ...(typeof reason === "string" ? { because: reason } : {}),
    ...(isRecord(input) ? { input } : {}),
    ...(typeof context === "string" && context !== "" ? { context } : {}),
    ...(decision !== undefined && verdict === undefined
      ? { unclear: "its permissionDecision is none of allow, ask and deny" }
      : {}),
    blocks: said["block"] === true || said["decision"] === "block" || said["decision"] === "deny",
  };
}

function readVerdict(value: unknown): Verdict | undefined {
  return value === "allow" || value === "ask" || value === "deny" ? value : undefined;
}
