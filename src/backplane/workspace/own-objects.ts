import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readIfThere } from "../../lib/read-if-there.ts";
import { type GitCall, GitFailure, gitLine, runGit } from "../../lib/run-git.ts";
import type { SnapshotStore } from "../../snapshots/snapshot.ts";

/** How many commits are in a copy. They cost little beside the files. In a partial clone, most of them have gaps. */
const COMMITS = [200, 2];

/**
 * Gives a copy the objects of its newest commits. It was made with those of the user's repository, which the sandbox
 * around the copy does not show. Older commits are cut off, as in a shallow clone.
 */
export async function ownObjects(root: string, git: GitCall): Promise<void> {
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
  (readIfThere(shallowFile(root))?.toString("utf8") ?? "").split("\n").filter((commit) => commit !== "");

/** Lets the snapshots of a copy read the user's objects, too: an agent may remove those in the copy. */
export function readAlso(store: SnapshotStore, objects: string): void {
  const folder = store.shadow("")?.folder;
  if (folder !== undefined) appendFileSync(join(folder, "objects/info/alternates"), `${objects}\n`);
}
