import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

const FOLDER = join(import.meta.dirname, "../fixtures/day-in-the-life");

/** The languages and their files. */
export const DAYS = readdirSync(FOLDER).map((name) => ({
  language: name.replace(".jsonl", ""),
  file: join(FOLDER, name),
}));

const Verdict = z.enum(["allow", "ask", "deny"]);
const Line = z.object({ id: z.string(), input: z.object({ command: z.string() }), accept: z.array(Verdict) });

/** What `guard judge` answers to a line. */
export const LineVerdict = z.object({ id: z.string(), verdict: Verdict, code: z.string(), because: z.string() });
export type LineVerdict = z.infer<typeof LineVerdict>;

export interface DayCommand {
  readonly id: string;
  readonly command: string;
  /** The verdicts that are right in a session with a sandbox. */
  readonly accept: readonly z.infer<typeof Verdict>[];
}

/** The commands of a working day, in their order. */
export function readDay(file: string): readonly DayCommand[] {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines
    .map((line) => Line.parse(JSON.parse(line)))
    .map(({ id, input, accept }) => ({ id, command: input.command, accept }));
}
