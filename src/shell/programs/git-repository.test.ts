import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith, writeFiles } from "../../../test/support/git-repository.ts";
import { readRepository } from "../../snapshots/shadow.ts";
import type { Policy } from "../../contract/policy.ts";
import { judge } from "../../guard/judge/judge.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { PRESETS } from "../../guard/presets/presets.ts";

const policyOf = (workspaceRoot: string): Policy => ({
  ...PRESETS.default,
  version: 1,
  workspaceRoot,
  home: "/home/dev",
});
const verdict = (root: string, command: string) =>
  judge({ tool: "Bash", input: { command } }, policyOf(root), realMachine).verdict;

/** Settings that make `git status` run a program. */
const HOSTILE = (mark: string) => `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch '${mark}'; false"\n`;

/** The parts by which git recognizes a repository. */
function plant(folder: string, settings: string): void {
  mkdirSync(join(folder, "objects"), { recursive: true });
  mkdirSync(join(folder, "refs"), { recursive: true });
  writeFiles(folder, { HEAD: "ref: refs/heads/main\n", config: settings });
}

test("git is asked about where it would take settings from a repository beside the workspace's own", () => {
  const root = repositoryWith({ "a.txt": "a\n", "packages/x/b.txt": "b\n" });
  const mark = join(root, "ran");
  plant(join(root, "evil"), HOSTILE(mark));
  writeFiles(root, { "pointer/.git": "gitdir: ../evil\n" });
  plant(join(root, "folder/.git"), HOSTILE(mark));
  plant(join(root, "hooked/.git"), "[core]\n\tbare = false\n");
  writeFiles(root, { "hooked/.git/hooks/pre-commit": "#!/bin/sh\n" });

  // The danger is real: this git runs the program.
  execFileSync("git", ["-C", join(root, "pointer"), "-c", "safe.directory=*", "status"], { stdio: "ignore" });
  expect(existsSync(mark)).toBe(true);

  for (const folder of ["pointer", "folder", "hooked", "evil", "pointer/deeper"]) {
    expect([folder, verdict(root, `git -C ${folder} status`)]).toEqual([folder, "ask"]);
    expect([folder, verdict(root, `cd ${folder} && git status`)]).toEqual([folder, "ask"]);
    expect([folder, verdict(root, `cd ${folder}; git log`)]).toEqual([folder, "ask"]);
  }
});

test("the workspace's own repository passes from every folder of it, and so do its worktrees and sub-modules", () => {
  const library = repositoryWith({ "l.txt": "l\n" });
  const root = repositoryWith({ "a.txt": "a\n", "packages/x/b.txt": "b\n" });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "protocol.file.allow=always", ...args], { stdio: "ignore" });
  git("worktree", "add", "-q", "tree", "-b", "other");
  git("submodule", "--quiet", "add", library, "inner");
  for (const folder of [".", "packages/x", "tree", "inner"])
    expect([folder, verdict(root, `git -C ${folder} status`)]).toEqual([folder, "allow"]);
  expect(verdict(join(root, "tree"), "git status")).toBe("allow");
  expect(verdict(join(root, "packages/x"), "git status")).toBe("allow");
});

test("a repository as git init makes it passes", () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  execFileSync("git", ["init", "-q", join(root, "fresh")], { env: { ...process.env, GIT_TEMPLATE_DIR: "" } });
  expect(verdict(root, "git -C fresh add . && git -C fresh commit -m x")).toBe("allow");
});

test("a folder that only looks like a repository is none for our own git", async () => {
  const root = join(repositoryWith({ "a.txt": "a\n" }), "sub");
  const mark = join(root, "ran");
  plant(root, `${HOSTILE(mark)}\tbare = false\n\tworktree = .\n`);
  writeFileSync(join(root, "b.txt"), "b\n");
  expect((await readRepository(root))?.prefix).not.toBe("");
  expect(existsSync(mark)).toBe(false);
});

test("a repository that git tracks as a link is asked about where git follows its settings", () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const mark = join(root, "ran");
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      stdio: "ignore",
    });
  const inner = join(root, "outer/inner");
  for (const folder of [join(root, "outer"), inner]) git("init", "-q", folder);
  git("-C", inner, "commit", "-q", "--allow-empty", "-m", "x");
  git("-C", join(root, "outer"), "add", "inner");
  git("-C", join(root, "outer"), "commit", "-q", "-m", "x");
  for (const command of ["git add outer", "git add -A", "git add ."])
    expect([command, verdict(root, command)]).toEqual([command, "allow"]);
  git("add", "outer");
  expect(verdict(root, "git status")).toBe("allow");

  // The innermost one is followed as well.
  writeFileSync(join(inner, ".git/config"), HOSTILE(mark));
  execFileSync("git", ["-C", root, "status"], { stdio: "ignore" });
  expect(existsSync(mark)).toBe(true);
  for (const command of [
    "git status",
    "git diff",
    "git add -u",
    "git stash",
    "git commit -am x",
    "git -C outer status",
  ])
    expect([command, verdict(root, command)]).toEqual([command, "ask"]);
  for (const command of ["git log", "git branch -a"])
    expect([command, verdict(root, command)]).toEqual([command, "allow"]);
});

test("a remote on this disk is a repository whose settings count", () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  plant(join(root, "evil/.git"), HOSTILE(join(root, "ran")));
  execFileSync("git", ["init", "-q", join(root, "fresh")]);
  for (const command of ["git fetch evil", "git fetch ./evil", "git ls-remote evil", "git remote show evil"])
    expect([command, verdict(root, command)]).toEqual([command, "ask"]);
  expect(verdict(root, "git fetch fresh")).toBe("allow");
  expect(verdict(root, "git fetch origin")).toBe("allow");
});
