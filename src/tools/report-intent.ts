import * as z from "zod";
import type { Tool } from "../contract/tool.ts";
import { answer } from "./answer.ts";

const Input = z.strictObject({ intent: z.string().min(1).max(200) });

/** Tells the person what the model is about to do: whoever shows calls shows this one as a sentence. Changes nothing. */
export const reportIntent: Tool<typeof Input> = {
  name: "report_intent",
  description: "Tell the person in a few words what you will do next.",
  input: Input,
  sideBySide: true,
  run: async () => answer("noted"),
};
