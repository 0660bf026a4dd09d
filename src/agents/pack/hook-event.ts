import type { HookAnswer, HookEventName, Payload } from "../../contract/hook-event.ts";
import { duplicateKey, jsonDepth, parseJson } from "../../lib/json/parse-json.ts";
import { isRecord } from "../../lib/json/json-value.ts";

export const HOOK_EVENTS: readonly HookEventName[] = [
  "session-start",
  "session-end",
  "prompt-submitted",
  "tool-before",
  "tool-after",
  "agent-stop",
  "subagent-stop",
  "compact-before",
  "error",
];

export const isHookEvent = (name: string): name is HookEventName => HOOK_EVENTS.some((known) => known === name);

/** Events at which no answer means no. At the others the agent continues without one. */
export const mustAnswer = (event: HookEventName) => event === "tool-before" || isStop(event);

export const isStop = (event: HookEventName): event is "agent-stop" | "subagent-stop" =>
  event === "agent-stop" || event === "subagent-stop";

/** Calls contain whole files, but no tool takes more than this. */
export const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;
const MAX_DEPTH = 200;

/** The object that an agent sent. Throws an error that never quotes it. */
export function readPayload(text: string): Payload {
  if (text.trim() === "") throw new Error("it is empty");
  if (text.length > MAX_PAYLOAD_BYTES) throw new Error(`it is longer than ${MAX_PAYLOAD_BYTES} bytes`);
  if (jsonDepth(text) > MAX_DEPTH) throw new Error(`it is nested more than ${MAX_DEPTH} levels deep`);
  const value = parse(text);
  if (!isRecord(value)) throw new Error("it is not an object");
  const twice = duplicateKey(text);
  if (twice !== undefined) throw new Error("it has a key twice");
  return value;
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new Error("it is not JSON");
  }
}

/** Claude Code's shape of an answer, which Codex uses too: decisions are inside `hookSpecificOutput`. */
export function nestedAnswer(event: HookEventName, answer: HookAnswer, hookEventName: string): Payload {
  if (isStop(event) || (event === "prompt-submitted" && answer.block !== undefined))
    return { ...told(answer), ...(answer.block === undefined ? {} : { decision: "block", reason: answer.block }) };
  const specific = {
    ...(event === "tool-before" ? toolAnswer(answer) : {}),
    ...(answer.context === undefined || answer.verdict === "deny" ? {} : { additionalContext: answer.context }),
  };
  return Object.keys(specific).length === 0 ? {} : { hookSpecificOutput: { hookEventName, ...specific } };
}

/** A line for the person, which the model does not get. */
export const told = ({ tell }: HookAnswer): Payload => (tell === undefined ? {} : { systemMessage: tell });

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
