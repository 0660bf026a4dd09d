import { UserError } from "../../lib/user-error.ts";
import type { Context, ContextValue } from "../recipe/recipe.ts";
import type { RecipeOptions } from "../run/run-parts.ts";

/** The exit code for arguments that cannot be passed on. */
export const BAD_ARGUMENTS = 4;

export interface ArgvParts {
  readonly runner: string;
  readonly file: string;
  readonly options: RecipeOptions;
  /** Where the runner looks for other recipes. */
  readonly folders: readonly string[];
  readonly context: Context;
  /** Returns a large value as the address of a file. */
  readonly spill: (value: string) => string;
  readonly warn: (text: string) => void;
}

/** The command line of the external runner. */
export function runnerArgv(parts: ArgvParts): readonly string[] {
  const { runner, file, options, folders, context } = parts;
  const { workingDir, isDryRun, autoStage, includeTags, excludeTags } = options;
  return [
    runner,
    file,
    "--output-format",
    "json",
    "-C",
    workingDir,
    "--progress",
    ...(isDryRun ? ["--dry-run"] : []),
    ...(autoStage ? [] : ["--no-auto-stage"]),
    ...(includeTags.length === 0 ? [] : ["--include-tags", includeTags.join(",")]),
    ...(excludeTags.length === 0 ? [] : ["--exclude-tags", excludeTags.join(",")]),
    ...folders.flatMap((folder) => ["-R", folder]),
    ...Object.entries(context).flatMap(([name, value]) => ["--set", `${name}=${passedValue(name, value, parts)}`]),
  ];
}

/** A value as the runner gets it. */
export const textOf = (value: ContextValue): string => (typeof value === "string" ? value : JSON.stringify(value));

function passedValue(name: string, value: ContextValue, { spill, warn }: ArgvParts): string {
  const text = textOf(value);
  if (text.includes("\0"))
    throw new UserError(`the value of '${name}' has a NUL character, which a command line cannot have`, {
      where: `-c ${name}`,
      fix: "remove it, or use --engine native",
      exitCode: BAD_ARGUMENTS,
    });
  const passed = spill(text);
  if (passed !== text)
    warn(
      `warning: '${name}' has ${Buffer.byteLength(text)} bytes, so it is passed as a file:// address, which the external runner does not read back`,
    );
  return passed;
}
