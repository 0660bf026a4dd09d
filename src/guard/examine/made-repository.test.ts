import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith, writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { fakeMachine } from "../machine/fake-machine.ts";
import { judge } from "../judge/judge.ts";
import { PRESETS } from "../presets/presets.ts";
import { realMachine } from "../machine/real-machine.ts";
import type { Machine } from "../../contract/machine.ts";

const HEAD = "ref: refs/heads/main\n";

function workspace(): string {
  const root = repositoryWith({ "a.txt": "a\n", "src/a.ts": "a\n", "packages/x/b.ts": "b\n", headtxt: HEAD });
  writeFiles(root, {
    cfg: `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch '${join(root, "ran")}'; false"\n\tbare = false\n\tworktree = .\n`,
    "parts/HEAD": HEAD,
    "parts/config": "",
    "half/HEAD": HEAD,
    "half/objects/a": "",
  });
  mkdirSync(join(root, "dist"));
  return root;
}

const verdict = (command: string, workspaceRoot: string, machine: Machine = realMachine) =>
  judge(
    { tool: "Bash", input: { command } },
    { ...PRESETS.default, version: 1, workspaceRoot, home: "/home/dev" },
    machine,
  ).verdict;

const MADE = "mkdir -p x/objects x/refs && cp headtxt x/HEAD && cp cfg x/config && cd x && git status";

test("a repository that a command makes is asked about, and it would be obeyed", () => {
  const root = workspace();
  expect(verdict(MADE, root)).toBe("ask");
  expect(verdict(MADE, "/srv/repo", fakeMachine({}))).toBe("ask");
  execFileSync("sh", ["-c", MADE.replace("git", "git -c safe.directory='*'")], { cwd: root, stdio: "ignore" });
  expect(existsSync(join(root, "ran"))).toBe(true);
});

const ASKED = [
  "mkdir -p x/objects x/refs; cat headtxt > x/HEAD; git -C x status",
  "mkdir -p x/{objects,refs} && mv headtxt x/HEAD && (cd x; git log)",
  "install -d x/objects x/refs && install headtxt x/HEAD && git -C x status",
  "mkdir -p x/objects x/refs && ln -s ../headtxt x/HEAD && git -C x status",
  "mkdir -p x/y && cp headtxt x/HEAD && echo .. > x/commondir && git -C x/y status",
  "mkdir -p x/objects/a x/refs/b && tee x/head < headtxt && git -C x status",
  "mkdir half/refs && git -C half status",
  "mkdir -p half/refs && cd half && git status",
  "git -C half status & mkdir half/refs",
  "cp parts/* packages/x && mkdir packages/x/objects packages/x/refs && git -C packages/x status",
  "ln -s packages/x y && cp parts/* y && mkdir y/objects y/refs && git -C packages/x status",
  "cp -r parts x && git -C x status",
  "cp -r parts/. packages/x && git -C packages/x status",
  "mv parts x && cd x && git status",
  "mv parts/* packages/x && cd packages/x && git status",
  "git mv src x && cd x && git status",
  "ln -s parts x && cd x && git status",
  "ln -sT parts x && git -C x/deep status",
  "cp -a parts packages && cd packages/parts && git status",
  "git checkout -q other && cd planted && git status",
  "git pull && mkdir -p planted && cd planted && git status",
  "git worktree add y && cd y/planted && git status",
];

const ALLOWED = [
  "echo x > src/a.ts && git add src/a.ts && git commit -m y",
  "mkdir -p src/new && git status",
  "npm run build && git status",
  "sed -i s/a/b/ a.txt && git diff",
  "mkdir -p objects refs && cp headtxt HEAD && git status",
  "cp -r src dist && git status",
  "cp -r src dist && cd packages/x && git status",
  "mv src/a.ts src/b.ts && git add -A",
  "cd packages/x && mv b.ts c.ts && git add -A && git commit -m y",
  "cd packages/x && mkdir -p config objects && echo x > config/a.ts && git status",
  "mkdir -p packages/y && mv a.txt packages/y/ && cd packages/y && git add .",
  "cd packages/x && git checkout main && git log",
  "cd packages/x && cp ../../a.txt . && git status",
  "git init x && cd x && git add .",
  "git worktree add y && cd y && git status",
  "cp src/*.ts packages/x && git -C packages/x diff",
];

test("git is asked about wherever the same command may put a repository in its way, and nowhere else", () => {
  const root = workspace();
  const judged = (commands: readonly string[]) => commands.map((command) => [command, verdict(command, root)]);
  expect(judged(ASKED)).toEqual(ASKED.map((command) => [command, "ask"]));
  expect(judged(ALLOWED)).toEqual(ALLOWED.map((command) => [command, "allow"]));
});

test("where the workspace is no repository, files at its top can make it one", () => {
  const folder = tempFolder();
  writeFiles(folder, { headtxt: HEAD });
  expect(verdict("mkdir objects refs && git status", folder)).toBe("allow");
  expect(verdict("mkdir objects refs && cp headtxt HEAD && git status", folder)).toBe("ask");
});
