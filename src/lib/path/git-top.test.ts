import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder, tempRepository } from "../../../test/support/temp-folder.ts";
import { gitTop } from "./workspace.ts";

const git = (folder: string, ...args: string[]) =>
  execFileSync(
    "git",
    ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always", ...args],
    { stdio: "pipe" },
  );

test("the top of a repository is found from below", () => {
  const top = tempRepository();
  mkdirSync(join(top, "a/b"), { recursive: true });
  expect(gitTop(join(top, "a/b"))).toEqual({ folder: top, commonFolder: join(top, ".git") });
});

test("a work tree and a submodule know where git keeps their exclude file", () => {
  const [main, outer] = [tempRepository(), tempRepository()];
  git(main, "commit", "-q", "--allow-empty", "-m", "first");
  const tree = join(tempFolder(), "tree");
  git(main, "worktree", "add", "-q", tree);
  expect(gitTop(tree)).toEqual({ folder: tree, commonFolder: join(main, ".git") });
  git(outer, "submodule", "--quiet", "add", main, "sub");
  expect(gitTop(join(outer, "sub"))).toEqual({
    folder: join(outer, "sub"),
    commonFolder: join(outer, ".git/modules/sub"),
  });
});

test.each([
  ["points nowhere", "gitdir: /nonexistent\n"],
  ["points at a folder that is no repository", "gitdir: .\n"],
  ["is garbage", "\u0000\u0001"],
])("a .git file that %s is a top without a place for excludes", (_, content) => {
  const folder = tempFolder();
  writeFileSync(join(folder, ".git"), content);
  expect(gitTop(folder)).toEqual({ folder, commonFolder: undefined });
});
