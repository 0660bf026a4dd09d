import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { textIfThere } from "../../lib/files/read-file.ts";
import { isInside } from "../../lib/path/inside.ts";
import { type GitCall, GitFailure, gitLine, gitNames, headCommit, runGit } from "../../lib/process/run-git.ts";
import { privateGit, type Shadow } from "../../snapshots/shadow.ts";
import { openSnapshots, type Snapshot, type SnapshotStore } from "../../snapshots/snapshot.ts";

/** A copy of a workspace that an agent may change freely. */
interface StagedCopy {
  readonly root: string;
  readonly store: SnapshotStore;
  readonly baseline: Snapshot;
  /** Links out of the workspace, which are left out of the copy. */
  readonly dropped: readonly string[];
}

interface StagePlan {
  /** Where to create the copy. Must not exist yet. */
  readonly root: string;
  /** A private folder for temporary files and snapshots. */
  readonly folder: string;
  readonly wanted: (path: string) => boolean;
}

/**
 * Checks out a snapshot as a separate repository, with its recent history but without branches, stash, or remotes.
 * A git worktree would share those with the user's repository, where an agent could change them.
 */
export async function makeStagedCopy(source: SnapshotStore, snapshot: Snapshot, plan: StagePlan): Promise<StagedCopy> {
  const { root } = plan;
  const shadow = source.shadow("");
  if (shadow === undefined) throw new Error("the snapshot belongs to another store");
  const git = await initialise(root, shadow);
  const dropped: string[] = [];
  for (const { path, tree } of snapshot.parts) {
    const part = source.shadow(path);
    if (part === undefined) throw new Error("the snapshot belongs to another store");
    const wanted = (name: string) => plan.wanted(`${path}${name}`);
    const own = path === "" ? git : temporaryIndex(privateGit(part.folder, join(root, path)), plan.folder);
    mkdirSync(join(root, path), { recursive: true });
    dropped.push(...(await layOut(own, tree, wanted)).map((name) => `${path}${name}`));
    if (path !== "" && readdirSync(join(root, path)).length > 0) await runGit(["add", "--force", "--", path], git);
  }
  await commitBaseline(git, shadow);
  await ownObjects(root, git);
  const store = openSnapshots(root, join(plan.folder, "stage-snapshots"));
  const baseline = await store.take();
  readAlso(store, join(shadow.folder, "objects"));
  return { root, store, baseline, dropped };
}

/** A part's own index belongs to its snapshots, so the checkout uses a temporary one. */
const temporaryIndex = ({ cwd, env }: GitCall, folder: string): GitCall => ({
  cwd,
  env: { ...env, GIT_INDEX_FILE: join(folder, "lay-out.index") },
});

async function initialise(root: string, shadow: Shadow): Promise<GitCall> {
  mkdirSync(root, { mode: 0o700 });
  const format = shadow.repository === undefined ? [] : [`--object-format=${shadow.repository.format}`];
  const start = ["init", "--quiet", "--template=", "--initial-branch=main", ...format, root];
  await runGit(start, { cwd: dirname(root), env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" } });
  mkdirSync(join(root, ".git/objects/info"), { recursive: true });
  writeFileSync(join(root, ".git/objects/info/alternates"), `${shadow.folder}/objects\n`);
  for (const name of ["info/exclude", "shallow"]) {
    if (!existsSync(join(shadow.folder, name))) continue;
    mkdirSync(dirname(join(root, ".git", name)), { recursive: true });
    copyFileSync(join(shadow.folder, name), join(root, ".git", name));
  }
  return privateGit(join(root, ".git"), root);
}

/**
 * Writes a tree's files, except unwanted ones, nested repositories, and links out of the workspace. Returns those
 * links.
 */
async function layOut(git: GitCall, tree: string, wanted: (path: string) => boolean): Promise<string[]> {
  await runGit(["read-tree", tree], git);
  const entries = (await gitNames(["ls-files", "--stage", "-z"], git)).map((entry) => ({
    mode: entry.slice(0, 6),
    path: entry.slice(entry.indexOf("\t") + 1),
  }));
  await removeFromIndex(
    git,
    entries.filter(({ mode, path }) => mode === "160000" || !wanted(path)).map(({ path }) => path),
  );
  await runGit(["checkout-index", "--all", "--force", "--quiet"], git);
  const leading = entries.filter(({ mode, path }) => mode === "120000" && wanted(path) && leadsOut(git.cwd, path));
  for (const { path } of leading) rmSync(join(git.cwd, path), { force: true });
  const dropped = leading.map(({ path }) => path);
  await removeFromIndex(git, dropped);
  return dropped;
}

async function removeFromIndex(git: GitCall, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  await runGit(["update-index", "--force-remove", "-z", "--stdin"], { ...git, input: `${paths.join("\0")}\0` });
}

function leadsOut(root: string, path: string): boolean {
  const target = readlinkSync(join(root, path));
  return isAbsolute(target) || !isInside(resolve(dirname(join(root, path)), target), root);
}

async function commitBaseline(git: GitCall, { repository }: Shadow): Promise<void> {
  const tree = await gitLine(["write-tree"], git);
  const name = { NAME: "signalbox", EMAIL: "signalbox@localhost" };
  const people = Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((role) =>
      Object.entries(name).map(([key, value]) => [`GIT_${role}_${key}`, value]),
    ),
  );
  const head = repository === undefined ? undefined : await headCommit({ cwd: repository.top });
  const parent = head === undefined ? [] : ["-p", head];
  const call = { ...git, env: { ...git.env, ...people } };
  const commit = await gitLine(["commit-tree", tree, ...parent, "-m", "The workspace as the run found it"], call);
  await runGit(["update-ref", "HEAD", commit], git);
}

/** How many commits are in a copy. They cost little beside the files. In a partial clone, most of them have gaps. */
const COMMITS = [200, 2];

/**
 * Gives a copy the objects of its newest commits. It was made with those of the user's repository, which the sandbox
 * around the copy does not show. Older commits are cut off, as in a shallow clone.
 */
async function ownObjects(root: string, git: GitCall): Promise<void> {
  for (const most of COMMITS) {
    try {
      return await packCommits(root, git, most);
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
    }
  }
}

async function packCommits(root: string, git: GitCall, most: number): Promise<void> {
  const listed = await gitLine(["rev-list", "--parents", `--max-count=${most}`, "HEAD"], git);
  const commits = new Map(
    listed.split("\n").map((line) => {
      const [commit = "", ...parents] = line.split(" ");
      return [commit, parents];
    }),
  );
  const wanted = [...commits.keys()].map((commit) => `${commit}\n`).join("");
  const { stdout } = await runGit(["rev-list", "--objects", "--no-walk", "--stdin"], { ...git, input: wanted });
  await runGit(["pack-objects", "-q", join(root, ".git/objects/pack/pack")], { ...git, input: stdout });
  const cutOff = [...commits].filter(([, parents]) => parents.some((parent) => !commits.has(parent)));
  const shallow = [...cutBefore(root).filter((commit) => commits.has(commit)), ...cutOff.map(([commit]) => commit)];
  if (shallow.length > 0) writeFileSync(shallowFile(root), shallow.map((commit) => `${commit}\n`).join(""));
  else rmSync(shallowFile(root), { force: true });
  rmSync(join(root, ".git/objects/info/alternates"), { force: true });
}

const shallowFile = (root: string) => join(root, ".git/shallow");

/** Where the user's own clone is cut off. */
const cutBefore = (root: string): string[] =>
  (textIfThere(shallowFile(root)) ?? "").split("\n").filter((commit) => commit !== "");

/** Lets the snapshots of a copy read the user's objects, too: an agent may remove those in the copy. */
function readAlso(store: SnapshotStore, objects: string): void {
  const folder = store.shadow("")?.folder;
  if (folder !== undefined) appendFileSync(join(folder, "objects/info/alternates"), `${objects}\n`);
}
