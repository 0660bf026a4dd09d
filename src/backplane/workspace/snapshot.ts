import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../lib/sha256.ts";
import { gitLine, gitNames, type GitCall, runGit } from "./run-git.ts";
import { openShadow, type Shadow } from "./shadow.ts";

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

/** Opens a store for `root`, whose git folders lie in `folder`. Ignored files are no part of a snapshot. */
export function openSnapshots(root: string, folder: string): SnapshotStore {
  const shadows = new Map<string, Promise<Shadow>>();
  const opened = new Map<string, Shadow>();
  const shadowOf = async (path: string): Promise<Shadow> => {
    const known = shadows.get(path) ?? openShadow(join(root, path), join(folder, `${shadows.size}.git`));
    shadows.set(path, known);
    const shadow = await known;
    opened.set(path, shadow);
    return shadow;
  };
  const takePart = async (path: string): Promise<SnapshotPart[]> => {
    const shadow = await shadowOf(path);
    await addAll(shadow);
    const tree = await writeTree(shadow);
    const inner: SnapshotPart[] = [];
    for (const name of await innerRepositories(shadow)) {
      if (existsSync(join(root, path, name, ".git"))) inner.push(...(await takePart(`${path}${name}/`)));
    }
    return [{ path, tree }, ...inner];
  };
  return {
    root,
    async take() {
      const parts = await takePart("");
      return { parts, digest: sha256(parts.map((part) => `${part.tree} ${part.path}\n`).join("")) };
    },
    shadow: (path) => opened.get(path),
  };
}

/** Our own writings are no work of the agent. */
const OURS = ":(exclude,top,glob)**/.agent-backplane/**";

const TRACKED = "diff-files -z --name-status --no-renames --no-ext-diff --ignore-submodules=dirty".split(" ");
const OTHERS = "ls-files -z --full-name --others --exclude-standard".split(" ");

/** Not with `git add`: it looks into submodules with a git that runs under their settings, and so starts their programs. */
async function addAll({ call, prefix, folder }: Shadow): Promise<void> {
  // Left by a git of ours that was killed; nobody else uses this folder.
  rmSync(join(folder, "index.lock"), { force: true });
  const where = prefix === "" ? "." : prefix;
  const tracked = await gitNames([...TRACKED, "--", where, OURS], call);
  const others = await gitNames([...OTHERS, "--", where, OURS], call);
  const [gone, there]: [string[], string[]] = [[], others];
  for (let at = 0; at < tracked.length; at += 2) (tracked[at] === "D" ? gone : there).push(tracked[at + 1] ?? "");
  await updateIndex(call, ["--force-remove"], gone);
  await updateIndex(call, ["--add", "--remove", "--replace"], there);
}

async function updateIndex(call: GitCall, how: readonly string[], names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  // A repository inside is listed as a folder, with a slash.
  const input = names.map((name) => `${name.replace(/\/$/, "")}\0`).join("");
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

/** Paths of submodules and of other repositories inside, seen from the part's own place. */
async function innerRepositories({ call, prefix }: Shadow): Promise<string[]> {
  const { stdout } = await runGit(["ls-files", "--stage", "-z", ...(prefix === "" ? [] : ["--", prefix])], call);
  return stdout
    .toString("utf8")
    .split("\0")
    .filter((entry) => entry.startsWith("160000 "))
    .map((entry) => entry.slice(entry.indexOf("\t") + 1 + prefix.length));
}
