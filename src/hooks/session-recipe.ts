import type { HookAnswer } from "../contract/hook-answer.ts";
import { boundRecipeRun } from "../lib/recipe-command.ts";
import type { HookSettings } from "./hook-settings.ts";

/** How an approved call of a recipe is run: bound to this session if it is a plain one. Or why it is not. */
export function sessionRecipe(
  command: string,
  { recipes, ownSandbox }: Pick<HookSettings, "recipes" | "ownSandbox">,
  cwd: string | undefined,
): string | HookAnswer {
  if (ownSandbox === true)
    return {
      verdict: "deny",
      because:
        "Blocked, because recipes do not run in the agent's own sandbox. Tell the user: they can start the agent with its own sandbox off, and its commands stay in signalbox's.",
    };
  if (recipes === undefined) return command;
  return boundRecipeRun(command, { ...recipes, cwd }) ?? command;
}
