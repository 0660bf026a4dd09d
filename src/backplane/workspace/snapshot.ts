import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../lib/sha256.ts";
import { gitLine, gitNames, type GitCall, runGit } from "../../lib/run-git.ts";
import { keptShadow, openShadow, type Shadow } from "./shadow.ts";

/** The content of a workspace at one moment: a tree for itself and one for every repository inside it. */
export interface Snapshot {
  /** One hash over all of it. */
  readonly digest: string;
  readonly parts: readonly SnapshotPart[];
}

interface SnapshotPart {
  /** Where the repository lies in the workspace: empty for the workspace itself, else with a slash at its end. */
  readonly path: string;
  readonly tree: string;
}

/** Takes snapshots of one workspace. Everything is written to a private folder, nothing to the workspace. */
export interface SnapshotStore {
  readonly root: string;
  take(): Promise<Snapshot>;
  /** The shadow of a part of an earlier snapshot. */
  shadow(path: string): Shadow | undefined;
}

/**
 * Opens a store for `root`, whose git folders lie in `folder`. Ignored files are no part of a snapshot. Repositories that
 * are not in the first snapshot, which is `before` when it was taken by another store, were made by the agent: their files
 * are seen, their settings and ignore lists are not used.
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
      // A workspace below the top of a repository may become one itself.
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

/** Our own writings are no work of the agent. */
const OURS = ":(exclude,top,glob)**/.agent-backplane/**";

const TRACKED = "diff-files -z --name-status --no-renames --no-ext-diff --ignore-submodules=dirty".split(" ");
const OTHERS = "ls-files -z --full-name --others --exclude-standard".split(" ");

/**
 * Brings the index up to date, and returns the repositories inside, seen from the part's own place.
 * Not with `git add`: it looks into submodules with a git that runs under their settings, and so starts their programs.
 */
async function addAll(shadow: Shadow): Promise<readonly string[]> {
  const { call, prefix, folder } = shadow;
  // Left by a git of ours that was killed; nobody else uses this folder.
  rmSync(join(folder, "index.lock"), { force: true });
  const where = prefix === "" ? "." : prefix;
  const tracked = await gitNames([...TRACKED, "--", where, OURS], call);
  const [gone, there]: [string[], string[]] = [[], []];
  for (let at = 0; at < tracked.length; at += 2) {
    const [status = "", name = ""] = [tracked[at], tracked[at + 1]];
    // Not a file: a repository whose commit changed, or one where a file was.
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

/** A repository inside is listed as a folder. It need not have a commit that the index could name. */
const isInner = (name: string) => name.endsWith("/");

/** True for the place of a submodule that holds files and no repository. Without files it is only not checked out. */
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

/** The tree of nothing, in the object format of that repository. */
export async function emptyTree(call: GitCall): Promise<string> {
  return await gitLine(["hash-object", "-w", "-t", "tree", "--stdin"], { ...call, input: "" });
}

/** Paths of repositories that the index knows, seen from the part's own place. */
async function submodules({ call, prefix }: Shadow): Promise<string[]> {
  const { stdout } = await runGit(["ls-files", "--stage", "-z", ...(prefix === "" ? [] : ["--", prefix])], call);
  return stdout
    .toString("utf8")
    .split("\0")
    .filter((entry) => entry.startsWith("160000 "))
    .map((entry) => entry.slice(entry.indexOf("\t") + 1 + prefix.length));
}
