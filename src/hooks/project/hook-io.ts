import type { HookAnswer, HookEventName } from "../../contract/hook-event.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { jsonIfValid } from "../../lib/json/parse-json.ts";

/** Claude Code's names for Copilot's tools, which is what hooks compare with. */
const EXPECTED_NAMES: Readonly<Record<string, string>> = {
  bash: "Bash",
  shell: "Bash",
  view: "Read",
  edit: "Edit",
  str_replace: "Edit",
  create: "Write",
  write: "Write",
  grep: "Grep",
  glob: "Glob",
  task: "Task",
  web_fetch: "WebFetch",
  web_search: "WebSearch",
  skill: "Skill",
};

/**
 * The input of a hook: the agent's own bytes. A call that only has Copilot's field names also gets Claude Code's, because
 * repositories write their hooks for those.
 */
export function hookStdin(text: string): string {
  if (!text.includes('"toolName"')) return text;
  const payload = jsonIfValid(text);
  if (!isRecord(payload) || "tool_name" in payload || "tool_input" in payload) return text;
  const { toolName, toolArgs, toolResult, sessionId } = payload;
  if (typeof toolName !== "string") return text;
  const input = typeof toolArgs === "string" ? (jsonIfValid(toolArgs) ?? toolArgs) : toolArgs;
  return JSON.stringify({
    ...payload,
    tool_name: EXPECTED_NAMES[toolName] ?? toolName,
    tool_input: input,
    ...(toolResult === undefined || "tool_response" in payload ? {} : { tool_response: toolResult }),
    ...(sessionId === undefined || "session_id" in payload ? {} : { session_id: sessionId }),
  });
}

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

/** What a hook changed in the event it was told of, or why its change cannot be used. */
export type HookChange = Pick<HookAnswer, "prompt" | "result"> & { readonly unclear?: string };

/** Reads the prompt or result that a hook wants instead. Both are spelled as in Copilot's hooks. */
export function readChange(event: HookEventName, output: Readonly<Record<string, unknown>>): HookChange {
  if (event === "prompt-submitted" && output["modifiedPrompt"] !== undefined)
    return readPrompt(output["modifiedPrompt"]);
  if (event === "tool-after" && output["modifiedResult"] !== undefined) return readResult(output["modifiedResult"]);
  return {};
}

function readPrompt(prompt: unknown): HookChange {
  if (typeof prompt !== "string") return { unclear: "its modifiedPrompt is not a text" };
  return prompt.trim() === "" ? { unclear: "its modifiedPrompt is empty" } : { prompt };
}

const FAILED: Readonly<Record<string, boolean>> = { success: false, failure: true, rejected: true, denied: true };

function readResult(value: unknown): HookChange {
  const { textResultForLlm: text, resultType: type } =
    typeof value === "string" ? { textResultForLlm: value } : isRecord(value) ? value : {};
  if (typeof text !== "string") return { unclear: "its modifiedResult has no text in textResultForLlm" };
  if (type === undefined) return { result: { text } };
  const failed = typeof type === "string" && Object.hasOwn(FAILED, type) ? FAILED[type] : undefined;
  return failed === undefined
    ? { unclear: `the resultType of its modifiedResult is none of ${Object.keys(FAILED).join(", ")}` }
    : { result: { text, failed } };
}
