import { isRecord } from "../lib/is-record.ts";
import { messageOf } from "../lib/message-of.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { Decision } from "../contract/verdict.ts";
import type { AgentCall } from "../contract/agent-call.ts";
import { toolKind } from "../guard/judge/tool-kind.ts";
import { explainToModel } from "../guard/explain.ts";

/** A tool call as a hook receives it, and which agent makes it. */
export interface HookCall extends AgentCall {
  readonly session: string;
}

/** The output of the historical hook contract: nothing, or a decision with its reason under both names. */
export type XpiaAnswer =
  | Record<string, never>
  | {
      readonly permissionDecision: "deny" | "ask";
      readonly message: string;
      readonly permissionDecisionReason: string;
    };

/** Answers one hook call. Malformed input, an unknown tool or any failure denies. An allowed call gets an empty answer. */
export function answerXpia(text: string, decide: (call: HookCall) => Decision): XpiaAnswer {
  try {
    const call = readHookCall(text);
    if (toolKind(call.tool) === "unknown")
      return refuse("deny", `Blocked: unknown tool ${JSON.stringify(call.tool).slice(0, 120)}.`);
    const decision = decide(call);
    if (decision.verdict === "allow") return {};
    return refuse(decision.verdict, explainToModel(decision));
  } catch (error) {
    return refuse("deny", `Blocked, because signalbox could not judge this call: ${messageOf(error)}`);
  }
}

function refuse(permissionDecision: "deny" | "ask", message: string): XpiaAnswer {
  return { permissionDecision, message, permissionDecisionReason: message };
}

/**
 * Reads `{tool_name, tool_input, cwd, session_id}`, or Copilot's `{toolName, toolArgs}` with arguments as a JSON string.
 * Throws when it is neither.
 */
function readHookCall(text: string): HookCall {
  const value: unknown = parseJson(text);
  if (!isRecord(value)) throw new Error("the hook input is not an object");
  const tool = oneOf(value, ["tool_name", "toolName"]);
  const given = oneOf(value, ["tool_input", "toolInput", "toolArgs"]);
  if (typeof tool !== "string") throw new Error("the hook input has no tool");
  const input: unknown = typeof given === "string" ? parseJson(given) : given;
  const { cwd } = value;
  if (cwd !== undefined && typeof cwd !== "string") throw new Error("the folder in the hook input is not a string");
  const session = oneOf(value, ["session_id", "sessionId"]);
  return { tool, input, cwd: cwd === "" ? undefined : cwd, session: typeof session === "string" ? session : "unknown" };
}

/** The value under one of several names. Throws when two of them are present, because that is ambiguous. */
function oneOf(value: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  const present = names.filter((name) => value[name] !== undefined);
  if (present.length > 1) throw new Error(`the hook input has both ${present.join(" and ")}`);
  return value[present[0] ?? ""];
}
