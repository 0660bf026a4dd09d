import * as z from "zod";
import type { CodeProblem } from "../../contract/language-servers.ts";
import { shortLine } from "../../lib/short-line.ts";
import { Range } from "./read-places.ts";

const Diagnostic = z.object({
  range: Range,
  severity: z.int().optional().catch(undefined),
  code: z
    .union([z.string().max(100), z.number()])
    .optional()
    .catch(undefined),
  source: z.string().max(100).optional().catch(undefined),
  message: z.string(),
});

const SEVERITIES = ["error", "warning", "information", "hint"] as const;
const MAX_PROBLEMS = 500;

/** The problems in a list of diagnostics; what is none is left out. */
export function readProblems(items: unknown): readonly CodeProblem[] {
  const list: readonly unknown[] = Array.isArray(items) ? items.slice(0, MAX_PROBLEMS) : [];
  return list
    .flatMap((item) => Diagnostic.safeParse(item).data ?? [])
    .map(({ range, severity = 1, source = "", code = "", message }) => {
      const from = `${source} ${code}`.trim();
      return {
        severity: SEVERITIES[severity - 1] ?? "information",
        line: range.start.line,
        message: shortLine(`${message.slice(0, 2000)}${from === "" ? "" : ` (${from})`}`, 500),
      };
    })
    .toSorted((one, other) => one.line - other.line);
}

/** The errors that were not there before. Lines move with a change, so they are not compared. */
export function newProblems(before: readonly CodeProblem[], after: readonly CodeProblem[]): readonly CodeProblem[] {
  const known = new Map<string, number>();
  for (const { message } of errors(before)) known.set(message, (known.get(message) ?? 0) + 1);
  return errors(after).filter(({ message }) => {
    const left = known.get(message) ?? 0;
    known.set(message, left - 1);
    return left <= 0;
  });
}

const errors = (problems: readonly CodeProblem[]) => problems.filter(({ severity }) => severity === "error");
