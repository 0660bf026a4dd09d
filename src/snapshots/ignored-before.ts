import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gitNames, runGit } from "../lib/run-git.ts";
import { privateGit } from "./shadow.ts";
import { openSnapshots } from "./snapshot.ts";
import type { SavedTurn } from "./turn-states.ts";

/** Which of these paths git would have ignored before a turn, by the ignore files of then. */
export async function ignoredBefore(saved: SavedTurn, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const { state, store: place, workspace, folder } = saved;
  const store = openSnapshots(workspace, place, state.before.snapshot);
  const work = mkdtempSync(join(folder, "ignored-"));
  const ignored = new Set<string>();
  try {
    for (const [number, { path: part, tree }] of state.before.snapshot.parts.entries()) {
      const shadow = store.shadow(part);
      if (shadow === undefined) continue;
      const area = join(work, String(number));
      mkdirSync(area);
      const own = privateGit(shadow.folder, area);
      const git = { ...own, env: { ...own.env, GIT_INDEX_FILE: `${area}.index` } };
      await runGit(["read-tree", tree], git);
      const rules = await gitNames(["ls-files", "-z", "--", ":(top,glob)**/.gitignore"], git);
      if (rules.length > 0) await runGit(["checkout-index", "--quiet", "-z", "--stdin"], input(git, rules));
      const mine = paths.filter((path) => path.startsWith(part)).map((path) => path.slice(part.length));
      // Without an index nothing is excepted because git knows it.
      const asked = input(git, mine);
      const { stdout } = await runGit(["check-ignore", "--no-index", "-z", "--stdin"], { ...asked, accept: [1] });
      for (const name of stdout.toString("utf8").split("\0")) if (name !== "") ignored.add(join(part, name));
    }
    return ignored;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const input = <Call extends object>(git: Call, names: readonly string[]) => ({
  ...git,
  input: names.map((name) => `${name}\0`).join(""),
});
