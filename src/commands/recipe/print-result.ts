import { stringify } from "yaml";
import { printable } from "../../lib/printable.ts";
import { UserError } from "../../lib/user-error.ts";
import type { RecipeResult } from "../../recipes/run/step-result.ts";
import { textFlag } from "../flags.ts";
import { printText } from "../print-line.ts";
import { BAD_ARGUMENTS } from "./context-flags.ts";

const FORMATS = ["table", "json", "yaml"] as const;
type ResultFormat = (typeof FORMATS)[number];

export function formatOf(flags: Readonly<Record<string, unknown>>): ResultFormat {
  if (flags["json"] === true) return "json";
  const name = textFlag(flags, "format") ?? "table";
  const format = FORMATS.find((each) => each === name);
  if (format !== undefined) return format;
  throw new UserError(`unknown format '${name}'`, {
    where: "--format",
    fix: `use one of: ${FORMATS.join(", ")}`,
    exitCode: BAD_ARGUMENTS,
  });
}

export async function printResult(result: RecipeResult, format: ResultFormat): Promise<void> {
  if (format === "json") return await printText(`${JSON.stringify(result, null, 2)}\n`);
  if (format === "yaml") return await printText(stringify(result));
  const rows = result.step_results.map(
    ({ step_id: id, status, duration }) => `${status.padEnd(10)}${`${duration.toFixed(1)} s`.padStart(9)}  ${id}`,
  );
  const end = `${result.recipe_name}: ${result.success ? "succeeded" : "failed"} in ${result.duration.toFixed(1)} s`;
  const closing = closingText(result);
  const parts = closing === "" ? [...rows, end] : [...rows, "", closing, "", end];
  await printText(`${printable(parts.join("\n"))}\n`);
}

/** What the user wants to read: the output of the last step, or why it failed. */
function closingText({ success, step_results: results }: RecipeResult): string {
  const last = success ? results.at(-1) : results.findLast(({ status }) => status === "failed" || status === "blocked");
  if (last === undefined || last.status === "skipped") return "";
  if (success) return last.output.trim();
  const output = last.output.trim();
  return [`${last.step_id}: ${last.error.trim()}`, ...(output === "" ? [] : ["", lastLines(output)])].join("\n");
}

const MAX_LINES = 40;

function lastLines(text: string): string {
  const lines = text.split("\n");
  return lines.length <= MAX_LINES ? text : ["…", ...lines.slice(-MAX_LINES)].join("\n");
}
