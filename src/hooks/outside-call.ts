import { isAbsolute } from "node:path";
import type { HookAnswer } from "../contract/hook-event.ts";
import { isInside, PRIVATE_FOLDERS, safePath } from "../lib/path/inside.ts";
import { boundRecipeRun } from "../lib/text/recipe-command.ts";
import { shQuote } from "../lib/text/shell-words.ts";
import type { HookSettings } from "./hook-context.ts";

/** The sandbox of macOS has no folders of its own. */
const isPrivate = (folder: string) => process.platform === "linux" && PRIVATE_FOLDERS.includes(folder);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A command for outside the sandbox. Commands inside can write to a folder of PATH in the workspace (a virtual
 * environment, `node_modules/.bin`), and a program planted there must not run instead of the one that was judged.
 */
export function withoutPlanted(command: string, folders: readonly string[], env: Environment = process.env): string {
  const safe = unplantedPath(folders, env);
  return safe === undefined ? command : `export PATH=${shQuote(safe)}; ${command}`;
}

/** PATH without folders in which commands inside the sandbox could plant a program; undefined if it has none. */
export function unplantedPath(folders: readonly string[], env: Environment): string | undefined {
  const roots = folders.filter((folder) => isAbsolute(folder) && !isPrivate(folder));
  const safe = safePath(env, ...roots);
  const kept = safe.split(":");
  // A missing folder elsewhere was left out too, but commands inside cannot create it.
  const isPlantable = (folder: string) =>
    !isAbsolute(folder) || roots.some((root) => isInside(folder, root)) || safePath({ PATH: folder }) === folder;
  const dropped = (env["PATH"] ?? "").split(":").filter((folder) => !kept.includes(folder));
  return dropped.some(isPlantable) ? safe : undefined;
}

/** How an approved call of a recipe is run: bound to this session if it is a plain one. Or why it is not. */
export function sessionRecipe(
  command: string,
  { recipes, ownSandbox }: { recipes?: HookSettings["recipes"]; ownSandbox?: HookSettings["ownSandbox"] },
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
