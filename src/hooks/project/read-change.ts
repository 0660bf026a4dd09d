import type { HookAnswer } from "../../contract/hook-answer.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { isRecord } from "../../lib/is-record.ts";

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
