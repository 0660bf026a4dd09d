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
  const last = `${result.recipe_name}: ${result.success ? "succeeded" : "failed"} in ${result.duration.toFixed(1)} s`;
  await printText(`${printable([...rows, last].join("\n"))}\n`);
}
