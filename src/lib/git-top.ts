import { lstatSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { readBounded } from "./read-bounded.ts";

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

const readText = (path: string) => readBounded(path, MAX_BYTES).bytes.toString("utf8");
