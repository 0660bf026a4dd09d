import { join } from "node:path";
import { stringify } from "yaml";
import { findWorkspace } from "../../lib/path/workspace.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { printable } from "../../lib/text/printable.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import type { RunSetting } from "../../receipts/run/run-setup.ts";
import { RUNNER_VARIABLE } from "../../recipes/bridge/find-runner.ts";
import { runExternal } from "../../recipes/external-run.ts";
import { dryRun, runOwn, type RunRequest } from "../../recipes/own-run.ts";
import { bundledRecipes, workingFolder } from "../../recipes/recipe/recipe-folders.ts";
import { RECIPE_EXIT } from "../../recipes/recipe/recipe.ts";
import { passedContext } from "../../recipes/run/prepare-context.ts";
import type { RecipeOptions } from "../../recipes/run/run-parts.ts";
import { newRun, resumedRun, type StartedRun } from "../../recipes/run/started-run.ts";
import type { RecipeResult } from "../../recipes/run/step-result.ts";
import { chosenPolicy, sessionPolicy } from "../active-policy.ts";
import type { CommandInput } from "../command-module.ts";
import { printText, textFlag, textsFlag } from "../flags.ts";
import { runSetting } from "../run/setting.ts";
import { agentRunner } from "./agent-step.ts";

type Flags = Readonly<Record<string, unknown>>;

/** Runs a recipe and prints its result. */
export async function run({ words, flags }: CommandInput): Promise<number> {
  const format = choice(flags["json"] === true ? "json" : (textFlag(flags, "format") ?? "table"), FORMATS, "format");
  const setting = runSetting(process.env);
  const engine = engineOf(flags);
  const started = startOf(words, flags, setting.home);
  for (const warning of started.loaded.warnings) say(`warning: ${warning}`);
  const { end, result } = await runBy(engine, started, flags, setting);
  await printResult(result, format);
  return end === "completed" ? EXIT.ok : EXIT.failed;
}

async function runBy(engine: Engine, started: StartedRun, flags: Flags, setting: RunSetting) {
  const options = optionsOf(flags, started.workingDir);
  const request: RunRequest = {
    options,
    isYes: flags["yes"] === true,
    outside: textsFlag(flags, "outside"),
    approved: textsFlag(flags, "approve"),
    requireSandbox: flags["requireSandbox"] === true,
    policyFor: (folder) => (engine === "rust" ? chosenPolicy(flags, folder).policy : sessionPolicy(flags, folder)),
  };
  if (engine === "rust") {
    const rules = ["policy", "preset"].find((name) => flags[name] !== undefined);
    return await runExternal(started, request, setting, rules);
  }
  if (options.isDryRun) return await dryRun(started, options);
  const personas = { workspace: findWorkspace(started.workingDir), bundled: join(bundledRecipes(), "agents") };
  const agents = agentRunner({ ...flags, agent: started.agent }, setting, personas);
  return await runOwn(started, request, setting, agents);
}

function startOf([word, task]: readonly string[], flags: Flags, home: string): StartedRun {
  const resume = textFlag(flags, "resume");
  const agent = textFlag(flags, "agent");
  const named = textsFlag(flags, "recipeDir");
  const pairs = textsFlag(flags, "context");
  if (resume === undefined) {
    const workingDir = workingFolder(textFlag(flags, "workingDir"));
    return newRun({ word, workingDir, named, agent, readContext: () => passedContext(pairs, task, process.env) });
  }
  if (word !== undefined || pairs.length > 0 || textFlag(flags, "workingDir") !== undefined)
    throw new UserError("a resumed run keeps its recipe, context and folder", {
      where: "--resume",
      fix: `signalbox recipe run --resume ${resume}`,
      exitCode: RECIPE_EXIT.badArguments,
    });
  return resumedRun(resume, home, named, agent);
}

function optionsOf(flags: Flags, workingDir: string): RecipeOptions {
  return {
    workingDir,
    stepTimeout: secondsFlag(flags, "stepTimeout"),
    includeTags: wordsFlag(flags, "includeTags"),
    excludeTags: wordsFlag(flags, "excludeTags"),
    autoStage: flags["autoStage"] !== false,
    isDryRun: flags["dryRun"] === true,
  };
}

/** A flag with words that are separated by commas. */
const wordsFlag = (flags: Flags, name: string): readonly string[] =>
  (textFlag(flags, name) ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

/** A flag with a positive number of seconds. */
function secondsFlag(flags: Flags, name: string): number | undefined {
  const text = textFlag(flags, name);
  if (text === undefined) return undefined;
  if (/^\d{1,7}(\.\d{1,3})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new UserError("--step-timeout needs a number of seconds above 0", {
    where: `--step-timeout ${text}`,
    fix: "for example --step-timeout 600",
    exitCode: RECIPE_EXIT.badArguments,
  });
}

const ENGINES = ["native", "rust"] as const;

type Engine = (typeof ENGINES)[number];

/** Flags that only our own runner can obey. */
const ONLY_NATIVE = { resume: "--resume", outside: "--outside", approve: "--approve", stepTimeout: "--step-timeout" };

/** What runs the recipe: our own runner, or an external one. A run that is continued was ours. */
function engineOf(flags: Flags): Engine {
  const name = textFlag(flags, "engine");
  const isSet = (process.env[RUNNER_VARIABLE] ?? "") !== "" && textFlag(flags, "resume") === undefined;
  const engine = choice(name ?? (isSet ? "rust" : "native"), ENGINES, "engine");
  const [flag] = Object.entries(ONLY_NATIVE).flatMap(([key, text]) => (flags[key] === undefined ? [] : [text]));
  if (engine === "native" || flag === undefined) return engine;
  throw new UserError(`the external runner does not know ${flag}`, {
    where: name === undefined ? `${RUNNER_VARIABLE} is set` : "--engine rust",
    fix: `leave ${flag} out, or add --engine native`,
    exitCode: RECIPE_EXIT.badArguments,
  });
}

const FORMATS = ["table", "json", "yaml"] as const;

/** One of the words that a flag knows. */
function choice<Word extends string>(word: string, known: readonly Word[], flag: string): Word {
  const found = known.find((each) => each === word);
  if (found !== undefined) return found;
  throw new UserError(`unknown ${flag} '${word}'`, {
    where: `--${flag}`,
    fix: `use one of: ${known.join(", ")}`,
    exitCode: RECIPE_EXIT.badArguments,
  });
}

async function printResult(result: RecipeResult, format: (typeof FORMATS)[number]): Promise<void> {
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
