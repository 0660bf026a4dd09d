import { answerText } from "../../contract/answer-text.ts";
import { type AskingParts, askModel } from "../ask-model.ts";
import type { RequestStep } from "../processor.ts";

/** Has the model write a summary, with the usual retries. Throws when there is none. */
export async function writeSummary(step: RequestStep, parts: Omit<AskingParts, "processors">): Promise<string> {
  const asking = askModel(() => step, { ...parts, processors: [] });
  let next = await asking.next();
  // What a model says while it writes a summary is of no interest to anyone.
  while (next.done !== true) next = await asking.next();
  const { value } = next;
  if (value.kind === "failed") throw value.error;
  if (value.kind === "interrupted") {
    // It may have been paid for, but nobody knows how much.
    step.report({ type: "usage", usage: undefined, cost: undefined, agent: "compaction" });
    throw new Error("interrupted");
  }
  step.report(step.charge(value.usage, "compaction"));
  const summary = answerText(value.message).trim();
  if (summary === "") throw new Error("the summary was empty");
  return summary;
}
