import * as z from "zod";
import type { AskUser, Tool } from "../../contract/tool.ts";
import { answer, failure } from "./answer.ts";

const QuestionInput = z.strictObject({
  question: z.string().min(1).max(2000),
  choices: z.array(z.string().min(1).max(200)).max(10).default([]),
});

export const askUser = (ask: AskUser): Tool<typeof QuestionInput> => ({
  name: "ask_user",
  description: "Ask the person something you cannot find out yourself.",
  input: QuestionInput,
  sideBySide: false,
  run: async (input, { signal }) => answer(`The person answered: ${await ask(input, signal)}`),
});

const IntentInput = z.strictObject({ intent: z.string().min(1).max(200) });

/** Tells the person what the model is about to do: whoever shows calls shows this one as a sentence. Changes nothing. */
export const reportIntent: Tool<typeof IntentInput> = {
  name: "report_intent",
  description: "Tell the person in a few words what you will do next.",
  input: IntentInput,
  sideBySide: true,
  run: async () => answer("noted"),
};

const SummaryInput = z.object({ summary: z.string().describe("what was done, how it was checked, what is left") });

/** Longer summaries are cut: they are an answer to a person. */
const MAX_SUMMARY = 8_000;

/** Ends the run. Only offered on autopilot, where nothing else does. */
export const taskComplete: Tool<typeof SummaryInput> = {
  name: "task_complete",
  description: "Say that the whole task is done and checked. It ends your work.",
  input: SummaryInput,
  sideBySide: false,
  endsRun: true,
  async run({ summary: whole }) {
    const summary = whole.trim().toWellFormed();
    if (summary === "") return failure("the summary is empty: say what was done and how you checked it");
    const text =
      summary.length <= MAX_SUMMARY
        ? summary
        : `${summary.slice(0, MAX_SUMMARY).toWellFormed()}\n[${summary.length - MAX_SUMMARY} more characters were cut]`;
    return { text: "noted", failed: false, ends: { summary: text } };
  },
};
