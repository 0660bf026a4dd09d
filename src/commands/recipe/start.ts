import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { currentFolder } from "../../lib/current-folder.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { isRecipePath } from "../../recipes/places/find-recipe.ts";
import { fileHashes, type LoadedRecipe, loadRecipe } from "../../recipes/places/load-recipe.ts";
import type { RecipeFolder } from "../../recipes/places/recipe-folders.ts";
import type { Context } from "../../recipes/recipe/recipe.ts";
import { continueJournal, createJournal, type Journal, readJournal } from "../../recipes/run/journal.ts";
import { claimRunFolder, createRunFolder, type RecipeRunFolder } from "../../recipes/run/run-folder.ts";
import { textFlag, textsFlag } from "../flags.ts";
import { BAD_ARGUMENTS, passedContext } from "./context-flags.ts";
import { findByWord, searchedFolders, workingFolder } from "./find.ts";

type Flags = Readonly<Record<string, unknown>>;

/** What a command line asks to run: something new, or something that was begun before. */
export interface Started {
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

export function startOf(words: readonly string[], flags: Flags, home: string): Started {
  const run = textFlag(flags, "resume");
  return run === undefined ? newRun(words, flags) : resumedRun(run, { words, flags, home });
}

function newRun(words: readonly string[], flags: Flags): Started {
  const workingDir = workingFolder(flags);
  const folders = searchedFolders(flags, workingDir);
  const found = findByWord(words[0], folders);
  const loaded = loadRecipe(found, folders);
  const context = passedContext(flags, process.env, words[1]);
  const agent = textFlag(flags, "agent");
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
        word: absoluteWord(words[0] ?? ""),
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

interface Resuming {
  readonly words: readonly string[];
  readonly flags: Flags;
  readonly home: string;
}

/** Continues a run with the recipe, context and folder that it was begun with. */
function resumedRun(name: string, { words, flags, home }: Resuming): Started {
  if (words.length > 0 || textsFlag(flags, "context").length > 0 || textFlag(flags, "workingDir") !== undefined)
    throw new UserError("a resumed run keeps its recipe, context and folder", {
      where: "--resume",
      fix: `signalbox recipe run --resume ${name}`,
      exitCode: BAD_ARGUMENTS,
    });
  const folder = claimRunFolder(home, name);
  const recorded = readJournal(folder.path);
  const { header } = recorded;
  const folders = searchedFolders(flags, header.working_dir);
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
    agent: textFlag(flags, "agent") ?? header.agent ?? undefined,
    open: () => ({ folder, journal: continueJournal(folder.path, recorded), isResumed: true }),
  };
}
