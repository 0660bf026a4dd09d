import { accessSync, constants, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../lib/error-code.ts";
import { type GitCall, gitNames, runGit } from "../lib/run-git.ts";
import type { Shadow } from "./shadow.ts";

/** Our own files are not the agent's work. */
const OURS = ":(exclude,top,glob)**/.agent-backplane/**";

const TRACKED = "diff-files -z --name-status --no-renames --no-ext-diff --ignore-submodules=dirty".split(" ");
const OTHERS = "ls-files -z --full-name --others --exclude-standard".split(" ");

export interface AddOptions {
  readonly filter?: FileFilter | undefined;
  /** With it, a changed file that cannot be read keeps its content of the snapshot before. Without it, that fails. */
  readonly onUnreadable?: ((file: string) => void) | undefined;
}

/** Which of these files of a work tree to take. The others are left out of the snapshot. */
export type FileFilter = (names: readonly string[], part: Shadow) => Promise<readonly string[]>;

interface Added {
  /** Where nested repositories are or were, relative to this part. */
  readonly inner: readonly string[];
  /** Whether the index may be different now. */
  readonly isChanged: boolean;
}

/**
 * Updates the index. Does not use `git add`, which runs git inside submodules with their settings and so can start
 * their programs.
 */
export async function addFiles(shadow: Shadow, { filter, onUnreadable }: AddOptions = {}): Promise<Added> {
  const { call, prefix, folder } = shadow;
  // Left by a git process of ours that was killed. Nobody else uses this folder.
  rmSync(join(folder, "index.lock"), { force: true });
  const where = prefix === "" ? "." : prefix;
  const skip = (name: string) => {
    onUnreadable?.(join(call.cwd, name));
    return false;
  };
  const untrackedNames = () => gitNames([...OTHERS, "--", where, OURS], call);
  // Each is a program that mostly waits for the disk.
  const [tracked, modules, early] = await Promise.all([
    gitNames([...TRACKED, "--", where, OURS], call),
    submodules(shadow),
    untrackedNames(),
  ]);
  const { gone, there } = sortTracked(tracked, call.cwd);
  const plain = modules.map((name) => prefix + name).filter((name) => isPlain(join(call.cwd, name)));
  const removed = [...gone, ...plain];
  await updateIndex(call, ["--force-remove"], removed);
  const others = removed.length === 0 ? early : await untrackedNames();
  const found = [...there, ...others.filter((name) => !isInner(name))];
  const wanted =
    onUnreadable === undefined ? found : found.filter((name) => isReadable(join(call.cwd, name)) || skip(name));
  const chosen = filter === undefined ? wanted : await filter(wanted, shadow);
  if (chosen.length < wanted.length) {
    const kept = new Set(chosen);
    // Its old content is not what the workspace holds now.
    await updateIndex(
      call,
      ["--force-remove"],
      there.filter((name) => !kept.has(name)),
    );
  }
  await updateIndex(call, ["--add", "--remove", "--replace"], chosen);
  const untracked = others.filter(isInner).map((name) => name.slice(prefix.length).replace(/\/$/, ""));
  const isChanged = removed.length + wanted.length > 0;
  return { inner: [...new Set([...modules, ...untracked])].toSorted(), isChanged };
}

/** Which of the files that git knows, with their changes, are gone, and which are there with other content. */
function sortTracked(tracked: readonly string[], folder: string) {
  const [gone, there]: [string[], string[]] = [[], []];
  for (let at = 0; at < tracked.length; at += 2) {
    const [status = "", name = ""] = [tracked[at], tracked[at + 1]];
    // Not a file: either a nested repository with a new commit, or one that replaced a file.
    const stat = status === "D" ? undefined : lstatSync(join(folder, name), { throwIfNoEntry: false });
    const isFolder = stat?.isDirectory() === true;
    if (stat === undefined || (status === "T" && isFolder)) gone.push(name);
    else if (!isFolder) there.push(name);
  }
  return { gone, there };
}

function isReadable(file: string): boolean {
  try {
    if (lstatSync(file).isFile()) accessSync(file, constants.R_OK);
    return true;
  } catch (error) {
    // One that is gone meanwhile is noticed by git.
    return errorCode(error) !== "EACCES" && errorCode(error) !== "EPERM";
  }
}

/** Git lists a nested repository as a folder. It may not have a commit that the index could refer to. */
const isInner = (name: string) => name.endsWith("/");

/** True if a submodule's folder contains files but no repository. An empty folder is just not checked out. */
function isPlain(folder: string): boolean {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  const names = readdirSync(folder);
  return names.length > 0 && !names.includes(".git");
}

async function updateIndex(call: GitCall, how: readonly string[], names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const input = names.map((name) => `${name}\0`).join("");
  await runGit(["update-index", ...how, "-z", "--stdin"], { ...call, input });
}

/** Paths of the submodules in the index, relative to this part. */
async function submodules({ call, prefix }: Shadow): Promise<string[]> {
  const { stdout } = await runGit(["ls-files", "--stage", "-z", ...(prefix === "" ? [] : ["--", prefix])], call);
  return stdout
    .toString("utf8")
    .split("\0")
    .filter((entry) => entry.startsWith("160000 "))
    .map((entry) => entry.slice(entry.indexOf("\t") + 1 + prefix.length));
}
