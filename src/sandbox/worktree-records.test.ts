import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { signalbox } from "../../test/support/run-signalbox.ts";
import { hasSandbox } from "../../test/support/sandbox-scene.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";

const IDENTITY = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };

test.skipIf(!hasSandbox)("no worktree of the repository can be led to other settings", async () => {
  const home = tempFolder();
  const [workspace, linked, marker] = [join(home, "work"), join(home, "linked"), join(home, "evil-ran")];
  const env = { HOME: home, ...IDENTITY };
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: workspace, env: { ...process.env, ...env } }).toString();
  const inside = async (cwd: string, script: string) =>
    (await signalbox(["sandbox", "--", script], { cwd, env })).stdout;
  mkdirSync(workspace);
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("worktree", "add", "-q", "inner");
  git("worktree", "add", "-q", linked);
  const main = join(workspace, ".git");
  const records = `${main}/worktrees/linked`;
  const evil = (folder: string, name: string) => `cp -r ${main} ${name}
    printf '[core]\\nrepositoryformatversion = 0\\nfsmonitor = "touch ${marker}"\\n' > ${name}/config
    for file in commondir config.worktree; do echo "$PWD/${name}" > ${folder}/$file; done
    mv ${folder} ${folder}-old; mkdir -p ${folder}; echo "$PWD/${name}" > ${folder}/commondir`;
  const work =
    "git -C inner commit -q --allow-empty -m second && echo committed; git worktree add -q later && echo added";
  const output = await inside(workspace, `${work}; ${evil(records, "evil")}; mv ${main}/worktrees ${main}/old`);
  expect(output).toBe("committed\nadded\n");
  await inside(linked, `${evil(records, "evil")}; ${evil(main, "worse")}`);
  for (const cwd of [workspace, join(workspace, "inner"), linked]) spawnSync("git", ["status"], { cwd });
  expect([existsSync(marker), git("worktree", "list").trim().split("\n").length]).toEqual([false, 4]);
});
