import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { foldersUp } from "../agents/install/walk-folders.ts";
import type { TextsPlace } from "../hooks/install/guarded-start.ts";
import { findWorkspace, gitTop } from "../lib/path/workspace.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { messageOf } from "../lib/text/user-error.ts";
import { bundledRecipes, recipeFolders } from "../recipes/recipe/recipe-folders.ts";
import { writeEntry } from "./entry.ts";
import { MANIFEST_PATH } from "./sources/change.ts";
import { TRUSTING } from "./sources/staged-agents.ts";

/**
 * Updates what is staged in a repository, at launch. Does nothing if nothing is staged. Returns messages for the user.
 * Never throws, because a launch does not depend on it.
 */
export async function refreshStaged(root: string, home: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  if (!existsSync(join(root, MANIFEST_PATH))) return [];
  try {
    writeEntry(home);
    // Loaded on demand, because most launches have nothing to refresh.
    const [{ applyWanted }, { planStage }] = await Promise.all([import("./apply.ts"), import("./plan-stage.ts")]);
    const { written, deleted, kept } = await applyWanted({ root, home }, (manifest) =>
      planStage({
        root,
        home,
        env,
        agents: manifest?.agents ?? [],
        required: manifest?.required ?? false,
        xpia: manifest?.xpia === true,
      }),
    );
    const changed = [...written, ...deleted];
    return [
      ...(changed.length === 0 ? [] : [`updated staged files: ${changed.join(", ")}`]),
      ...kept.map(({ path, because }) => `staged file is out of date: ${path}: ${because}`),
    ];
  } catch (error) {
    return [`could not update staged files: ${messageOf(error)}`];
  }
}

const TEXTS = ["agents", "commands", "skills", "instructions.md"];

/** What `.signalbox/` of the repository, the user's home and our own recipes have for an agent. */
export async function textsFor(agent: string, cwd: string, env: NodeJS.ProcessEnv) {
  const workspace = findWorkspace(realpathSync(cwd));
  const home = signalboxHome(env);
  const hasTexts = [join(workspace, ".signalbox"), home].some((top) =>
    TEXTS.some((name) => existsSync(join(top, name))),
  );
  const bundled = bundledRecipes();
  const folders = recipeFolders({ workspace, home, env, named: [], bundled }).filter(({ path }) => existsSync(path));
  if (!hasTexts && folders.length === 0) return undefined;
  // Loaded on demand, because not every launch has such texts.
  const { launchTexts } = await import("./launch-texts.ts");
  return (place: TextsPlace) => launchTexts(agent, place, folders, hasTexts);
}

/** Returns a check for settings written only by `signalbox stage`, if there can be any here. */
export async function stagedCheck(cwd: string, env: NodeJS.ProcessEnv) {
  const start = realpathSync(cwd);
  const folders = foldersUp(cwd, gitTop(start)?.folder ?? start);
  if (!folders.some((folder) => TRUSTING.some(({ hooks }) => existsSync(join(folder, hooks.wrapper)))))
    return undefined;
  // Loaded on demand, because most launches have nothing staged.
  const { onlyStaged } = await import("./only-staged.ts");
  return onlyStaged(folders, signalboxHome(env), env);
}
