import * as z from "zod";
import type { Tool } from "../contract/tool.ts";
import { answer } from "./answer.ts";

const Input = z.strictObject({
  question: z.string().min(1).max(2000),
  choices: z.array(z.string().min(1).max(200)).max(10).default([]),
});

/** Asks the person a question and returns the answer verbatim. */
export type AskUser = (
  question: { readonly question: string; readonly choices: readonly string[] },
  signal: AbortSignal,
) => Promise<string>;

export const askUser = (ask: AskUser): Tool<typeof Input> => ({
  name: "ask_user",
  description: "Ask the person something you cannot find out yourself.",
  input: Input,
  sideBySide: false,
  run: async (input, { signal }) => answer(`The person answered: ${await ask(input, signal)}`),
});
