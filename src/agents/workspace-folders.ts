import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { gitTop } from "../lib/git-top.ts";
import { tooWide } from "../lib/too-wide.ts";

const MARKS = [".git", join(".signalbox", "policy.yaml")];

/**
 * Folders that a repository or an agent may have filled: those that an agent works in, every repository around them,
 * and the main work tree of a linked one. One that is too wide to be a workspace, such as the home, is not among them.
 */
export function workspaceFolders(workedIn: readonly string[], env: NodeJS.ProcessEnv): readonly string[] {
  const home = real(env["HOME"] ?? homedir());
  const folders = new Set(workedIn.flatMap((folder) => around(real(folder))));
  return [...folders].filter((folder) => tooWide(folder, home) === undefined);
}

/** A folder that is gone holds nothing; what starts there says so. */
const real = (folder: string) => (existsSync(folder) ? realpathSync(folder) : folder);

function around(start: string): readonly string[] {
  const folders = [start];
  for (let at = start; ; at = dirname(at)) {
    if (MARKS.some((mark) => existsSync(join(at, mark)))) folders.push(at);
    if (dirname(at) === at) break;
  }
  const common = gitTop(start)?.commonFolder;
  if (common !== undefined && basename(common) === ".git") folders.push(dirname(common));
  return folders;
}
