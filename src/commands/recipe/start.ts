import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readBounded } from "../../lib/files/read-file.ts";
import { packageFolder } from "../../lib/path/package-folder.ts";
import { isFolder } from "../../lib/path/find-program.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { currentFolder, findWorkspace } from "../../lib/path/workspace.ts";
import { EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";
import { type FoundRecipe, isRecipePath, recipeAt, recipeNamed } from "../../recipes/recipe/find-recipe.ts";
import { fileHashes, type LoadedRecipe, loadRecipe } from "../../recipes/recipe/load-recipe.ts";
import { type RecipeFolder, recipeFolders } from "../../recipes/recipe/recipe-folders.ts";
import type { Context, ContextValue } from "../../recipes/recipe/recipe.ts";
import { continueJournal, createJournal, type Journal, readJournal } from "../../recipes/run/journal.ts";
import { claimRunFolder, createRunFolder, type RecipeRunFolder } from "../../recipes/run/run-folder.ts";
import { storedValue } from "../../recipes/run/step-result.ts";
import { textFlag, textsFlag } from "../flags.ts";

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

/** The folder in which a recipe works. */
export function workingFolder(flags: Flags): string {
  const folder = resolve(currentFolder(), textFlag(flags, "workingDir") ?? ".");
  if (isFolder(folder)) return folder;
  throw new UserError("this folder does not exist", {
    where: `-w ${folder}`,
    fix: "pass an existing folder",
    exitCode: BAD_ARGUMENTS,
  });
}

/** The recipes that signalbox brings; `agents` beside them has the personas that they name. */
export const bundledRecipes = (): string => join(packageFolder(), "recipes");

/** Where recipes are looked for by name, from a working folder. */
export function searchedFolders(flags: Flags, workingDir: string): readonly RecipeFolder[] {
  return recipeFolders({
    workspace: findWorkspace(realpathSync(workingDir)),
    home: signalboxHome(),
    env: process.env,
    named: textsFlag(flags, "recipeDir").map((folder) => resolve(currentFolder(), folder)),
    bundled: bundledRecipes(),
  });
}

/** The recipe that a word on the command line means. */
export function findByWord(word: string | undefined, folders: readonly RecipeFolder[]): FoundRecipe {
  if (word === undefined)
    throw new UserError("no recipe given", {
      where: "signalbox recipe",
      fix: "pass a name or a file; 'signalbox recipe list' shows the names",
      exitCode: BAD_ARGUMENTS,
    });
  return isRecipePath(word) ? recipeAt(word, currentFolder()) : recipeNamed(word, folders);
}

export const BAD_ARGUMENTS = 4;

const MAX_BYTES = 10_000_000;

/** Context values from the environment, from the task on the command line, and from `-c`, which wins. */
function passedContext(flags: Flags, env: NodeJS.ProcessEnv, task: string | undefined): Context {
  return {
    ...environmentContext(env),
    ...(task === undefined ? {} : { task_description: task }),
    ...Object.fromEntries(textsFlag(flags, "context").map(readPair)),
  };
}

const PREFIX = "AMPLIHACK_CONTEXT_";

/** These have another meaning. */
const NOT_VALUES = ["AMPLIHACK_CONTEXT_FILE", "AMPLIHACK_CONTEXT_ENV_BUDGET_BYTES"];

function environmentContext(env: NodeJS.ProcessEnv): Context {
  const { AMPLIHACK_TASK_DESCRIPTION: task, AMPLIHACK_REPO_PATH: repository } = env;
  const named = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith(PREFIX) && !NOT_VALUES.includes(name) && value !== undefined
      ? [[name.slice(PREFIX.length).toLowerCase(), readValue(value)] as const]
      : [],
  );
  return {
    ...(task === undefined ? {} : { task_description: task }),
    ...(repository === undefined ? {} : { repo_path: repository }),
    ...Object.fromEntries(named),
  };
}

function readPair(pair: string): readonly [string, ContextValue] {
  const at = pair.indexOf("=");
  const name = pair.slice(0, Math.max(0, at));
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(name) && name !== "__proto__") return [name, readValue(pair.slice(at + 1))];
  throw new UserError("expected KEY=VALUE", {
    where: `-c ${pair.slice(0, 60)}`,
    fix: "for example -c task_description='add a flag'",
    exitCode: BAD_ARGUMENTS,
  });
}

/** JSON other than a string becomes typed. `file://` is how other launchers pass large values. */
function readValue(text: string): ContextValue {
  if (text === "True" || text === "False") return text === "True";
  if (text.startsWith("file://")) return storedValue(readFileValue(text));
  const value = storedValue(text);
  return typeof value === "string" ? text : value;
}

function readFileValue(address: string): string {
  try {
    return readBounded(fileURLToPath(address), MAX_BYTES).bytes.toString("utf8");
  } catch (cause) {
    throw new UserError(`the context value cannot be read: ${messageOf(cause)}`, {
      where: address.slice(0, 200),
      fix: `pass a file of at most ${MAX_BYTES} bytes that exists`,
      exitCode: BAD_ARGUMENTS,
      cause,
    });
  }
}

/** A flag with words that are separated by commas. */
export const wordsFlag = (flags: Flags, name: string): readonly string[] =>
  (textFlag(flags, name) ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

/** A flag with a positive number of seconds. */
export function secondsFlag(flags: Flags, name: string): number | undefined {
  const text = textFlag(flags, name);
  if (text === undefined) return undefined;
  if (/^\d{1,7}(\.\d{1,3})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new UserError("--step-timeout needs a number of seconds above 0", {
    where: `--step-timeout ${text}`,
    fix: "for example --step-timeout 600",
    exitCode: BAD_ARGUMENTS,
  });
}
