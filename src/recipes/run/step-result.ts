import { jsonDepth, parseJson } from "../../lib/json/parse-json.ts";
import type { Context, ContextValue, Step } from "../recipe/recipe.ts";

/** `degraded`: done, but its output is not the JSON that was asked for. `blocked`: a person must decide. */
export type StepStatus = "completed" | "skipped" | "failed" | "degraded" | "blocked";

/** The result of one step, in the names that other tools read. */
export interface StepResult {
  readonly step_id: string;
  readonly status: StepStatus;
  readonly output: string;
  readonly error: string;
  /** Seconds. */
  readonly duration: number;
}

/** How a step ended, and what it puts into the context. */
export interface StepEnd {
  readonly result: StepResult;
  readonly values: Context;
  /** It failed, and another attempt would fail in the same way. */
  readonly isFinal?: boolean;
}

/** The result of a run, as `--json` prints it. */
export interface RecipeResult {
  readonly recipe_name: string;
  readonly success: boolean;
  readonly step_results: readonly StepResult[];
  readonly context: Readonly<Record<string, ContextValue>>;
  readonly duration: number;
}

/** What became of the work of a step, before it is recorded. */
export interface StepOutcome {
  readonly status: StepStatus;
  readonly output: string;
  readonly error: string;
  readonly values: Context;
  readonly isFinal?: boolean;
}

export const failedOutcome = (error: string, output = ""): StepOutcome => ({
  status: "failed",
  output,
  error,
  values: {},
});

const NOT_JSON = "parse_json failed: output is not valid JSON";

/** The outcome of work that succeeded with this output. Without the JSON that was asked for it is degraded or failed. */
export function outcomeOfOutput(step: Step, output: string): StepOutcome {
  const store = (value: unknown) => (step.output === undefined ? {} : { [step.output]: value });
  if (!step.parseJson || output.trim() === "")
    return { status: "completed", output, error: "", values: store(storedValue(output)) };
  const value = extractJson(output);
  if (value !== undefined) return { status: "completed", output, error: "", values: store(value) };
  if (step.parseJsonRequired) return failedOutcome(NOT_JSON, output);
  return { status: "degraded", output, error: NOT_JSON, values: store(output) };
}

const MAX_DEPTH = 100;

/**
 * The value that an output is stored as: typed when the whole of it is JSON, otherwise text. A number that would
 * change by being read, such as a long id, stays text.
 */
export function storedValue(output: string): ContextValue {
  const text = output.trim();
  const value = jsonIn(text);
  if (value === undefined || (typeof value === "number" && String(value) !== text)) return output;
  return value;
}

/** The JSON in an output: all of it, the first fenced block, or the first balanced object or list. */
export function extractJson(output: string): ContextValue {
  const text = output.trim();
  const fenced = /```[A-Za-z]*[ \t]*\n([^]*?)\n?[ \t]*```/.exec(text)?.[1];
  return jsonIn(text) ?? jsonIn(fenced?.trim() ?? "") ?? firstBalanced(text, "{", "}") ?? firstBalanced(text, "[", "]");
}

function jsonIn(text: string): ContextValue {
  if (!/^[-\d"[{tfn]/.test(text) || jsonDepth(text) > MAX_DEPTH) return undefined;
  try {
    return parseJson(text);
  } catch {
    // Most output is not JSON.
    return undefined;
  }
}

const MAX_STARTS = 1000;

/** The first part of a text between matching brackets that is JSON. */
function firstBalanced(text: string, open: string, close: string): ContextValue {
  let start = text.indexOf(open);
  for (let tried = 0; start !== -1 && tried < MAX_STARTS; tried++) {
    const end = balancedEnd(text, start, { open, close });
    const value = end === undefined ? undefined : jsonIn(text.slice(start, end));
    if (value !== undefined) return value;
    start = text.indexOf(open, start + 1);
  }
  return undefined;
}

function balancedEnd(
  text: string,
  start: number,
  { open, close }: { open: string; close: string },
): number | undefined {
  let depth = 0;
  let isText = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (isText && character === "\\") at++;
    else if (character === '"') isText = !isText;
    else if (!isText && character === open) depth++;
    else if (!isText && character === close && --depth === 0) return at + 1;
  }
  return undefined;
}
