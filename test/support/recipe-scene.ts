import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadActivePolicy } from "../../src/guard/policy/active-policy.ts";
import { recipeNamed } from "../../src/recipes/recipe/find-recipe.ts";
import { type LoadedRecipe, loadRecipe } from "../../src/recipes/recipe/load-recipe.ts";
import type { Context } from "../../src/recipes/recipe/recipe.ts";
import { NO_JOURNAL } from "../../src/recipes/run/journal.ts";
import type { AgentRequest, RecipeEvent, RecipeParts, RecipeOptions } from "../../src/recipes/run/run-parts.ts";
import { runRecipe } from "../../src/recipes/run/run-recipe.ts";
import { openRecipeShell } from "../../src/recipes/shell/open-shell.ts";
import { tempFolder } from "./temp-folder.ts";

interface SceneOptions extends Partial<Omit<RecipeParts, "options" | "runAgent">> {
  readonly options?: Partial<RecipeOptions>;
  readonly context?: Context;
  /** The agent's answer to a prompt. */
  readonly answer?: (request: AgentRequest) => string;
}

/** A workspace with recipe files, and a way to run them with a real bash, without a sandbox. What the guard asks is approved. */
export function recipeScene(files: Readonly<Record<string, string>>) {
  const [workspace, home] = [tempFolder(), tempFolder()];
  const recipes = join(workspace, "recipes");
  mkdirSync(recipes);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(recipes, `${name}.yaml`), text);
  const folders = [{ path: recipes, origin: "flag" }] as const;
  const load = (name: string): LoadedRecipe => loadRecipe(recipeNamed(name, folders), folders);
  const policy = {
    ...loadActivePolicy({ workspaceRoot: workspace, folder: home }).policy,
    fallback: "allow",
    sandbox: "off",
  } as const;
  const run = async (name: string, scene: SceneOptions = {}) => {
    const events: RecipeEvent[] = [];
    const prompts: AgentRequest[] = [];
    await using shell = openRecipeShell({
      policy,
      home,
      environment: process.env,
      runId: "00000000-0000-0000-0000-000000000000",
      folder: tempFolder(),
      requireSandbox: false,
      isRead: false,
      outside: [],
      isInSession: false,
      alsoJudge: undefined,
      ask: async () => true,
      warn: () => {},
    });
    const { result, end } = await runRecipe(load(name), scene.context ?? {}, {
      runShell: (request, signal) => shell.run(request, signal),
      ask: async () => undefined,
      findRecipe: (sub) => load(sub),
      mayLeave: () => true,
      journal: NO_JOURNAL,
      report: (event) => void events.push(event),
      signal: new AbortController().signal,
      ...scene,
      runAgent: async (request) => {
        prompts.push(request);
        return { ok: true, text: scene.answer?.(request) ?? "", because: "", costUsd: 0.5, runId: undefined };
      },
      options: {
        workingDir: workspace,
        stepTimeout: undefined,
        includeTags: [],
        excludeTags: [],
        autoStage: false,
        isDryRun: false,
        ...scene.options,
      },
    });
    const statuses = Object.fromEntries(result.step_results.map((step) => [step.step_id, step.status]));
    const errors = Object.fromEntries(
      result.step_results.flatMap((step) => (step.error === "" ? [] : [[step.step_id, step.error]])),
    );
    return { result, end, statuses, errors, events, prompts, context: result.context };
  };
  return { workspace, run, read: (file: string) => readFileSync(join(workspace, file), "utf8") };
}
