import { expect, test } from "vitest";
import { HELD_PARTS } from "../../contract/agent-call.ts";
import type { Policy } from "../../contract/policy.ts";
import { fakeMachine } from "../machine/fake-machine.ts";
import { judge, type JudgeExtras } from "../judge/judge.ts";
import { PRESETS } from "../presets/presets.ts";

const daily: Policy = { ...PRESETS.default, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" };
const restorable: JudgeExtras = { contained: HELD_PARTS, recoverable: () => true };

function judged(command: string, policy: Policy = daily, extras: JudgeExtras = restorable) {
  return judge({ tool: "Bash", input: { command } }, policy, { ...fakeMachine({}), ...extras });
}

const changed = (...paths: readonly string[]): JudgeExtras => ({
  contained: HELD_PARTS,
  recoverable: (path) => !paths.some((one) => one === path || one.startsWith(`${path}/`)),
});
const lossy = [
  "rm a.txt",
  "rm -rf .",
  "rm -rf *",
  'rm "$x"',
  "truncate -s 0 a.txt",
  "echo x > a.txt",
  "mv b.txt a.txt",
  "cp b.txt a.txt",
  "git checkout .",
  "git restore a.txt",
  "git reset --hard",
  "git clean -fd",
  "git switch -f main",
  "git stash drop",
  "git branch -D x",
  "find . -name '*.txt' -delete",
  "find . -name '*.txt' -exec rm {} +",
  "ls | xargs rm",
];

test.each(lossy)("%s asks", (command) => {
  expect(judged(command, daily, changed("/srv/repo/a.txt")).verdict).not.toBe("allow");
  expect(judged(command, daily, { contained: HELD_PARTS }).verdict).not.toBe("allow");
});

test("it passes where a snapshot keeps it, except for the workspace itself, branches and stashes", () => {
  expect(lossy.filter((command) => judged(command).verdict !== "allow")).toEqual([
    "rm -rf .",
    "rm -rf *",
    "git stash drop",
    "git branch -D x",
    "ls | xargs rm",
  ]);
});

test("moving, appending, build output and what is elsewhere lose nothing", () => {
  const free = [
    "mv a.txt c.txt",
    "echo x >> a.txt",
    "rm -rf node_modules dist target/debug",
    "rm -rf .venv **/__pycache__ *.pyc",
    "rm /tmp/x",
    "rmdir src",
    "rm b.txt",
  ];
  expect(free.filter((command) => judged(command, daily, changed("/srv/repo/a.txt")).verdict !== "allow")).toEqual([]);
});

test("a folder called dist is only free where git ignores it", () => {
  const disk = (ignored: string): JudgeExtras & { readText: (path: string) => string | undefined } => ({
    contained: HELD_PARTS,
    readText: (path) => (path === "/srv/repo/.gitignore" ? ignored : undefined),
  });
  expect([
    judged("rm -rf dist", daily, disk("/dist/\n")).verdict,
    judged("rm -rf dist", daily, disk("lib\n")).verdict,
  ]).toEqual(["allow", "ask"]);
});

test("the whole repository is not removed by a search without a name", () => {
  expect(["find . -delete", "find / -type f -delete"].map((command) => judged(command).verdict)).toEqual([
    "ask",
    "ask",
  ]);
});
