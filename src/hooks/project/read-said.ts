import type { HookAnswer } from "../../contract/hook-answer.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { isRecord } from "../../lib/is-record.ts";

type HookObject = Readonly<Record<string, unknown>>;

/**
 * Interprets the object that a hook printed. Hooks are written for many agents, so every known spelling is accepted, and
 * the strictest decision wins. A decision in an unknown spelling is `unclear`.
 */
export function readSaid(output: HookObject): HookAnswer & { readonly unclear?: string; readonly blocks: boolean } {
  const specific = isRecord(output["hookSpecificOutput"]) ? output["hookSpecificOutput"] : {};
  const decisions = [output["permissionDecision"], specific["permissionDecision"]].filter(
    (value) => value !== undefined,
  );
  const verdict = VERDICTS.find((known) => decisions.includes(known));
  const input = specific["updatedInput"] ?? output["updatedInput"] ?? output["modifiedArgs"];
  const reason = [
    output["permissionDecisionReason"],
    specific["permissionDecisionReason"],
    output["message"],
    output["reason"],
    output["stopReason"],
  ].find((value) => typeof value === "string" && value !== "");
  const context = output["additionalContext"] ?? specific["additionalContext"];
  const unclear = unclearField(output, decisions);
  return {
    ...(verdict === undefined ? {} : { verdict }),
    ...(typeof reason === "string" ? { because: reason } : {}),
    ...(isRecord(input) ? { input } : {}),
    ...(typeof context === "string" && context !== "" ? { context } : {}),
    ...(unclear === undefined ? {} : { unclear }),
    blocks: output["block"] === true || output["decision"] === "block" || output["decision"] === "deny",
  };
}

/** True when a hook ends the agent's turn with Claude Code's `continue: false`. On a stop event that is not an objection. */
export const endsTurn = (output: HookObject) => output["continue"] === false;

/** Strictest first. */
const VERDICTS: readonly Verdict[] = ["deny", "ask", "allow"];
const DECISIONS: readonly unknown[] = [undefined, "block", "deny", "approve", "allow"];

/** A decision field whose value is not a known one. */
function unclearField(output: HookObject, decisions: readonly unknown[]): string | undefined {
  const known: readonly unknown[] = VERDICTS;
  const specific = output["hookSpecificOutput"];
  if (specific !== undefined && !isRecord(specific)) return "its hookSpecificOutput is not an object";
  if (decisions.some((decision) => !known.includes(decision)))
    return "its permissionDecision is none of allow, ask and deny";
  if (!DECISIONS.includes(output["decision"])) return "its decision is none of block, deny, approve and allow";
  const flag = ["block", "continue"].find((name) => output[name] !== undefined && typeof output[name] !== "boolean");
  return flag === undefined ? undefined : `its ${flag} is neither true nor false`;
}
