import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { readBoundedText } from "../files/read-file.ts";
import { errorCode, UserError } from "../text/user-error.ts";

/** The nearest folder from `start` upwards that contains `.git` or `.signalbox`, or `start` itself. */
export function findWorkspace(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git")) || existsSync(join(folder, ".signalbox", "policy.yaml"))) return folder;
    if (dirname(folder) === folder) return start;
  }
}

const MAX_BYTES = 65_536;

interface GitTop {
  readonly folder: string;
  /** The folder that contains this work tree's `info/exclude`; undefined when `.git` is not what git would create. */
  readonly commonFolder: string | undefined;
}

/**
 * The work tree that contains `folder` (a real path), or undefined. Reads the files itself, because starting git is too
 * slow.
 */
export function gitTop(folder: string): GitTop | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const stat = lstatSync(join(at, ".git"), { throwIfNoEntry: false });
    if (stat !== undefined) return { folder: at, commonFolder: commonFolder(join(at, ".git"), stat.isFile()) };
    if (dirname(at) === at) return undefined;
  }
}

function commonFolder(dotGit: string, isPointer: boolean): string | undefined {
  try {
    const gitFolder = isPointer ? pointedAt(dotGit) : dotGit;
    if (!statSync(join(gitFolder, "HEAD")).isFile()) return undefined;
    const common = isPointer ? readFileIfThere(join(gitFolder, "commondir")) : undefined;
    const folder = common === undefined ? gitFolder : resolve(gitFolder, common.trim());
    return statSync(join(folder, "objects")).isDirectory() ? folder : undefined;
  } catch {
    return undefined;
  }
}

function pointedAt(dotGit: string): string {
  const path = /^gitdir: (.+)$/m.exec(readText(dotGit))?.[1]?.trim() ?? "";
  return isAbsolute(path) ? path : resolve(dirname(dotGit), path);
}

function readFileIfThere(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : readText(path);
}

const readText = (path: string) => readBoundedText(path, MAX_BYTES);

/** A repository: its work tree, or the folder itself when it is bare. */
interface NearestRepository {
  readonly folder: string;
  readonly bare: boolean;
}

/**
 * Searches as git does: for `.git` in each folder upwards, then for a folder that is itself a repository. `kind` says
 * what is at a path; without it nothing is found.
 */
export function nearestRepository(
  start: string,
  kind: ((path: string) => string | undefined) | undefined,
): NearestRepository | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (kind?.(join(folder, ".git")) !== undefined) return { folder, bare: false };
    const parts = ["HEAD", "objects", "refs"].map((name) => kind?.(join(folder, name)));
    if (parts.every((found) => found !== undefined)) return { folder, bare: true };
    if (folder === "/") return undefined;
  }
}

/** The folder we were started in. It must exist, and every folder above it must be accessible. */
export function currentFolder(): string {
  let folder: string | undefined;
  try {
    folder = process.cwd();
    realpathSync(folder);
    return folder;
  } catch (cause) {
    // A shell in such a folder may leave the variable empty.
    const { PWD: known } = process.env;
    const where = folder ?? (known === undefined || known === "" ? "the folder signalbox was started in" : known);
    throw isGone(folder, cause)
      ? new UserError("the current folder no longer exists", { where, fix: "cd to an existing folder", cause })
      : new UserError(`cannot access the current folder (${errorCode(cause) ?? String(cause)})`, {
          where,
          fix: "cd to a folder you can access",
          cause,
        });
  }
}

const isGone = (folder: string | undefined, cause: unknown) => folder === undefined || errorCode(cause) === "ENOENT";
