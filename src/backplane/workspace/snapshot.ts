import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../lib/sha256.ts";
import { gitLine, gitNames, type GitCall, runGit } from "../../lib/run-git.ts";
import { keptShadow, openShadow, type Shadow } from "./shadow.ts";

/** A workspace's content at one moment: one tree for the workspace and one for each nested repository. */
export interface Snapshot {
  /** A hash of all parts. */
  readonly digest: string;
  readonly parts: readonly SnapshotPart[];
}

interface SnapshotPart {
  /** The repository's path in the workspace: empty for the workspace itself, otherwise with a trailing slash. */
  readonly path: string;
  readonly tree: string;
}

/** Takes snapshots of one workspace. Writes only to a private folder, never to the workspace. */
export interface SnapshotStore {
  readonly root: string;
  take(): Promise<Snapshot>;
  /** The shadow of a part of an earlier snapshot. */
  shadow(path: string): Shadow | undefined;
}

/**
 * Opens a store for `root` with its git folders in `folder`. Snapshots do not include ignored files. Repositories that
 * are missing from the first snapshot (`before`, if another store took it) were created by the agent: their files are
 * included, but their settings and ignore lists are not used.
 */
export function openSnapshots(root: string, folder: string, before?: Snapshot): SnapshotStore {
  const shadows = new Map<string, Shadow>();
  let first = before;
  const shadowFolder = (path: string) => join(folder, `${path === "" ? "0" : sha256(path).slice(0, 16)}.git`);
  const shadowOf = async (path: string): Promise<Shadow> => {
    const isNew = first !== undefined && !first.parts.some((part) => part.path === path);
    const shadow = shadows.get(path) ?? (await openShadow(join(root, path), shadowFolder(path), { isNew }));
    shadows.set(path, shadow);
    return shadow;
  };
  const takePart = async (path: string): Promise<SnapshotPart[]> => {
    const shadow = await shadowOf(path);
    const inner = await addAll(shadow);
    const parts = [{ path, tree: await writeTree(shadow) }];
    for (const name of inner) {
      // A workspace that is a subfolder of a repository may become a repository itself.
      const place = `${path}${name === "" ? "." : name}/`;
      if (existsSync(join(root, place, ".git"))) parts.push(...(await takePart(place)));
    }
    return parts;
  };
  return {
    root,
    async take() {
      const parts = await takePart("");
      const snapshot = { parts, digest: sha256(parts.map((part) => `${part.tree} ${part.path}\n`).join("")) };
      first ??= snapshot;
      return snapshot;
    },
    shadow: (path) => shadows.get(path) ?? keptShadow(shadowFolder(path)),
  };
}

/** Our own files are not the agent's work. */
const OURS = ":(exclude,top,glob)**/.agent-backplane/**";

const TRACKED = "diff-files -z --name-status --no-renames --no-ext-diff --ignore-submodules=dirty".split(" ");
const OTHERS = "ls-files -z --full-name --others --exclude-standard".split(" ");

/**
 * Updates the index and returns the nested repositories, relative to this part.
 * Does not use `git add`, which runs git inside submodules with their settings and so can start their programs.
 */
async function addAll(shadow: Shadow): Promise<readonly string[]> {
  const { call, prefix, folder } = shadow;
  // Left by a git process of ours that was killed. Nobody else uses this folder.
  rmSync(join(folder, "index.lock"), { force: true });
  const where = prefix === "" ? "." : prefix;
  const tracked = await gitNames([...TRACKED, "--", where, OURS], call);
  const [gone, there]: [string[], string[]] = [[], []];
  for (let at = 0; at < tracked.length; at += 2) {
    const [status = "", name = ""] = [tracked[at], tracked[at + 1]];
    // Not a file: either a nested repository with a new commit, or one that replaced a file.
    const isFolder = status !== "D" && lstatSync(join(call.cwd, name)).isDirectory();
    if (status === "D" || (status === "T" && isFolder)) gone.push(name);
    else if (!isFolder) there.push(name);
  }
  const plain = (await submodules(shadow)).map((name) => prefix + name).filter((name) => isPlain(join(call.cwd, name)));
  await updateIndex(call, ["--force-remove"], [...gone, ...plain]);
  const others = await gitNames([...OTHERS, "--", where, OURS], call);
  await updateIndex(call, ["--add", "--remove", "--replace"], [...there, ...others.filter((name) => !isInner(name))]);
  const untracked = others.filter(isInner).map((name) => name.slice(prefix.length).replace(/\/$/, ""));
  return [...new Set([...(await submodules(shadow)), ...untracked])].toSorted();
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

async function writeTree(shadow: Shadow): Promise<string> {
  const { call, prefix } = shadow;
  if (prefix === "") return await gitLine(["write-tree"], call);
  const { stdout } = await runGit(["ls-files", "-z", "--", prefix], call);
  if (stdout.length === 0) return await emptyTree(call);
  return await gitLine(["write-tree", `--prefix=${prefix}`], call);
}

/** The empty tree, in the repository's object format. */
export async function emptyTree(call: GitCall): Promise<string> {
  return await gitLine(["hash-object", "-w", "-t", "tree", "--stdin"], { ...call, input: "" });
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
