import type { HookAnswer } from "../../contract/hook-answer.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { isRecord } from "../../lib/is-record.ts";

type Said = Readonly<Record<string, unknown>>;

/**
 * What a hook's object means. Hooks are written for many agents, so every known spelling is read, and the strictest counts
 * when there are several. A decision that is spelled in no known way is `unclear`.
 */
export function readSaid(said: Said): HookAnswer & { readonly unclear?: string; readonly blocks: boolean } {
  const specific = isRecord(said["hookSpecificOutput"]) ? said["hookSpecificOutput"] : {};
  const decisions = [said["permissionDecision"], specific["permissionDecision"]].filter((value) => value !== undefined);
  const verdict = VERDICTS.find((known) => decisions.includes(known));
  const input = specific["updatedInput"] ?? said["updatedInput"] ?? said["modifiedArgs"];
  const reason = [
    said["permissionDecisionReason"],
    specific["permissionDecisionReason"],
    said["message"],
    said["reason"],
    said["stopReason"],
  ].find((value) => typeof value === "string" && value !== "");
  const context = said["additionalContext"] ?? specific["additionalContext"];
  const unclear = unclearField(said, decisions);
  return {
    ...(verdict === undefined ? {} : { verdict }),
    ...(typeof reason === "string" ? { because: reason } : {}),
    ...(isRecord(input) ? { input } : {}),
    ...(typeof context === "string" && context !== "" ? { context } : {}),
    ...(unclear === undefined ? {} : { unclear }),
    blocks: said["block"] === true || said["decision"] === "block" || said["decision"] === "deny",
  };
}

/** True when a hook tells the agent to end its turn, which is Claude Code's `continue`. At a stop that is no objection. */
export const endsTurn = (said: Said) => said["continue"] === false;

/** The strictest first. */
const VERDICTS: readonly Verdict[] = ["deny", "ask", "allow"];
const DECISIONS: readonly unknown[] = [undefined, "block", "deny", "approve", "allow"];

/** A field that decides, with a value that nobody could read. */
function unclearField(said: Said, decisions: readonly unknown[]): string | undefined {
  const known: readonly unknown[] = VERDICTS;
  const specific = said["hookSpecificOutput"];
  if (specific !== undefined && !isRecord(specific)) return "its hookSpecificOutput is not an object";
  if (decisions.some((decision) => !known.includes(decision)))
    return "its permissionDecision is none of allow, ask and deny";
  if (!DECISIONS.includes(said["decision"])) return "its decision is none of block, deny, approve and allow";
  const flag = ["block", "continue"].find((name) => said[name] !== undefined && typeof said[name] !== "boolean");
  return flag === undefined ? undefined : `its ${flag} is neither true nor false`;
}
