import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { currentFolder } from "../../lib/path/workspace.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { findByWord, isRecipePath } from "../recipe/find-recipe.ts";
import { fileHashes, type LoadedRecipe, loadRecipe } from "../recipe/load-recipe.ts";
import { type RecipeFolder, searchedFolders } from "../recipe/recipe-folders.ts";
import type { Context } from "../recipe/recipe.ts";
import { continueJournal, createJournal, type Journal, readJournal } from "./journal.ts";
import { claimRunFolder, createRunFolder, type RecipeRunFolder } from "./run-folder.ts";

/** A run that was asked for: something new, or something that was begun before. */
export interface StartedRun {
  readonly loaded: LoadedRecipe;
  readonly folders: readonly RecipeFolder[];
  readonly context: Context;
  readonly workingDir: string;
  readonly agent: string | undefined;
  /** Creates or claims the folder of the run and opens its journal. */
  readonly open: (home: string) => {
    readonly folder: RecipeRunFolder;
    readonly journal: Journal;
    readonly isResumed: boolean;
  };
}

interface NewRun {
  /** The name or path of the recipe. */
  readonly word: string | undefined;
  readonly workingDir: string;
  /** Folders to look for recipes in, if not in the usual ones. */
  readonly named: readonly string[];
  readonly agent: string | undefined;
  /** Read once the recipe is found. */
  readonly readContext: () => Context;
}

export function newRun({ word, workingDir, named, agent, readContext }: NewRun): StartedRun {
  const folders = searchedFolders(named, workingDir);
  const loaded = loadRecipe(findByWord(word, folders), folders);
  const context = readContext();
  return {
    loaded,
    folders,
    context,
    workingDir,
    agent,
    open(home) {
      const folder = createRunFolder(home, randomUUID());
      const journal = createJournal(folder.path, {
        run_id: folder.runId,
        recipe: loaded.recipe.name,
        word: absoluteWord(word ?? ""),
        started_at: new Date().toISOString(),
        files: fileHashes(loaded),
        context,
        working_dir: workingDir,
        agent: agent ?? null,
      });
      return { folder, journal, isResumed: false };
    },
  };
}

const absoluteWord = (word: string) => (isRecipePath(word) ? resolve(currentFolder(), word) : word);

/** Continues the run of this name with the recipe, context and folder that it was begun with. */
export function resumedRun(name: string, home: string, named: readonly string[], agent?: string): StartedRun {
  const folder = claimRunFolder(home, name);
  const recorded = readJournal(folder.path);
  const { header } = recorded;
  const folders = searchedFolders(named, header.working_dir);
  const loaded = loadRecipe(findByWord(header.word, folders), folders);
  if (JSON.stringify(fileHashes(loaded)) !== JSON.stringify(header.files)) {
    folder[Symbol.dispose]();
    throw new UserError("the recipe has changed since this run began, so it cannot be continued", {
      where: header.word,
      fix: "restore it, or start the recipe again",
      exitCode: EXIT.failed,
    });
  }
  return {
    loaded,
    folders,
    context: header.context,
    workingDir: header.working_dir,
    agent: agent ?? header.agent ?? undefined,
    open: () => ({ folder, journal: continueJournal(folder.path, recorded), isResumed: true }),
  };
}
