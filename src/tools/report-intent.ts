import * as z from "zod";
import type { Tool } from "../contract/tool.ts";
import { printable } from "../lib/printable.ts";
import { answer } from "./answer.ts";

const Input = z.strictObject({ intent: z.string().min(1).max(200) });

/** Shows the person what the model is about to do. Changes nothing. */
export const reportIntent: Tool<typeof Input> = {
  name: "report_intent",
  description: "Tell the person in a few words what you will do next.",
  input: Input,
  sideBySide: true,
  async run({ intent }, { progress }) {
    progress(printable(intent));
    return answer("noted");
  },
};
