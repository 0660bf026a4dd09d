import * as z from "zod";
import type { Tool } from "../contract/tool.ts";
import { failure } from "./answer.ts";

const Input = z.object({ summary: z.string().describe("what was done, how it was checked, what is left") });

/** Longer summaries are cut: they are an answer to a person. */
const MAX_SUMMARY = 8_000;

/** Ends the run. Only offered on autopilot, where nothing else does. */
export const taskComplete: Tool<typeof Input> = {
  name: "task_complete",
  description: "Say that the whole task is done and checked. It ends your work.",
  input: Input,
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
