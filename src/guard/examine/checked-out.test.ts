import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HELD_PARTS, type HeldPart } from "../../contract/agent-call.ts";
import type { Policy } from "../../contract/policy.ts";
import { judge } from "../judge/judge.ts";
import { realMachine } from "../machine/real-machine.ts";
import { PRESETS } from "../presets/presets.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-checkout-")));
const workspace = join(base, "proj");
const policy: Policy = { ...PRESETS.default, version: 1, workspaceRoot: workspace, home: join(base, "home") };

/** `main` and `plain` have the same workflow; `newer` and `origin/remote-only` changed it. */
const HISTORY = `git init -q -b main; git config user.name a; git config user.email a@example.com
  mkdir -p .github/workflows sub; echo one > .github/workflows/ci.yml; echo a > a.txt; git add -A; git commit -qm one
  git checkout -qb newer; echo two > .github/workflows/ci.yml; git commit -qam two
  git update-ref refs/remotes/origin/remote-only HEAD
  git checkout -q main; git checkout -qb plain; echo b > a.txt; git commit -qam three
  git checkout -q main; echo c > c.txt; git add -A; git commit -qm four; git checkout -q plain; git checkout -q main`;

beforeAll(() => {
  mkdirSync(workspace);
  const env = { PATH: process.env["PATH"], HOME: base };
  execFileSync("/bin/bash", ["-ec", HISTORY], { cwd: workspace, env });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const needs = (command: string, contained: readonly HeldPart[] = HELD_PARTS) =>
  judge({ tool: "Bash", input: { command }, cwd: workspace }, policy, {
    ...realMachine,
    contained,
    recoverable: () => true,
  }).needs?.map(({ target }) => target);

test.each(
  `git checkout newer|git switch newer|git checkout remote-only|git checkout -b x newer|git merge newer|git rebase newer
  git reset --hard newer|git cherry-pick newer|cd sub && git checkout newer|git checkout plain && git merge newer`
    .split(/\||\n/)
    .map((line) => line.trim()),
)("%s needs a protected file, so it would have to run outside", (command) => {
  expect(needs(command)).toEqual(["the protected file .github/workflows/ci.yml"]);
  expect(needs(command, [])).toBeUndefined();
});

test.each(
  `git checkout plain|git switch -|git merge plain|git reset --hard HEAD~1|git checkout -b y|git cherry-pick plain
  git checkout nowhere|git checkout a.txt|git log newer|git reset newer|git checkout --orphan z`
    .split(/\||\n/)
    .map((line) => line.trim()),
)("%s changes no protected file", (command) => {
  expect(needs(command)).toBeUndefined();
});
