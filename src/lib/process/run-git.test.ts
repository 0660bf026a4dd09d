import { chmodSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith, writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { gitLine } from "./run-git.ts";

/** A git that writes its environment to a file. */
function telltale(folder: string, mark: string): string {
  writeFiles(folder, { git: `#!/bin/sh\n/usr/bin/env > '${mark}'\n` });
  chmodSync(join(folder, "git"), 0o755);
  return folder;
}

test("a git of the workspace is not started: not by its folder, a relative one, or a link to it", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const mark = join(tempFolder(), "ran");
  const planted = telltale(join(root, "node_modules/.bin"), mark);
  const link = join(tempFolder(), "link");
  symlinkSync(planted, link);
  for (const folder of [planted, "node_modules/.bin", link, join(tempFolder(), "..", planted)]) {
    const from = { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
    expect(await gitLine(["rev-parse", "--show-prefix"], { cwd: root, from })).toBe("");
  }
  expect(existsSync(mark)).toBe(false);
});

test("git gets neither the person's secrets nor variables that lead it elsewhere", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const mark = join(tempFolder(), "ran");
  const PATH = telltale(tempFolder(), mark);
  const from = { PATH, HOME: "/home", SOME_API_KEY: "k", GITHUB_TOKEN: "t", GIT_DIR: "/x", GIT_SSH_COMMAND: "x" };
  await gitLine(["status"], { cwd: root, from, env: { GIT_INDEX_FILE: "ours" } });
  const names = readFileSync(mark, "utf8")
    .split("\n")
    .map((line) => line.split("=")[0] ?? "");
  expect(names.filter((name) => /KEY|TOKEN|^GIT_|^HOME$/.test(name)).toSorted()).toEqual([
    "GIT_ALLOW_PROTOCOL",
    "GIT_INDEX_FILE",
    "GIT_OPTIONAL_LOCKS",
    "GIT_TERMINAL_PROMPT",
    "HOME",
  ]);
});
