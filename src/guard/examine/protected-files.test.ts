import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  HISTORY,
  LEAVES_PROTECTED,
  NAMES_PROTECTED,
  REACHES_PROTECTED,
} from "../../../test/fixtures/guard/repository-attacks.ts";
import type { Policy } from "../../contract/policy.ts";
import { judge } from "../judge/judge.ts";
import { fakeMachine } from "../machine/fake-machine.ts";
import { realMachine } from "../machine/real-machine.ts";
import { PRESETS } from "../presets/presets.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-protected-")));
const workspace = join(base, "proj");
const policy: Policy = { ...PRESETS.default, version: 1, workspaceRoot: workspace, home: join(base, "home") };
const run = (script: string, cwd = workspace) =>
  execFileSync("/bin/bash", ["-ec", script], { cwd, env: { PATH: process.env["PATH"], HOME: base } });

beforeAll(() => {
  mkdirSync(workspace);
  run(HISTORY);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const judged = (command: string, machine = realMachine) =>
  judge({ tool: "Bash", input: { command }, cwd: workspace }, policy, machine);
const reasons = (command: string) =>
  judged(command).findings.flatMap(({ code, because }) => (code === "git-restores" ? [because] : []));

test.each(REACHES_PROTECTED)("%s is not allowed", (command) => {
  expect(judged(command).verdict).not.toBe("allow");
});

test.each(NAMES_PROTECTED)("%s is denied", (command) => {
  expect(judged(command).verdict).toBe("deny");
});

test.each(LEAVES_PROTECTED)("%s is allowed", (command) => {
  expect([judged(command).verdict, judged(command).because]).toEqual(["allow", expect.anything()]);
});

test("the question names the file that git would change", () => {
  expect(reasons("git switch --detach older")).toEqual(["would change .github/workflows/ci.yml, which is protected"]);
  expect(reasons("git switch --orphan x")).toEqual(["would change .claude/settings.json, which is protected"]);
  expect(reasons("git fetch origin && git checkout new")).toEqual([
    "may change .claude/settings.json, which is protected",
  ]);
  expect(reasons("sed -i s/a/b/ *")).toEqual(["may change Jenkinsfile, which is protected"]);
});

test("without a repository to look at, a list of tracked files cannot exclude protected ones", () => {
  const verdict = (command: string) => judged(command, fakeMachine({})).verdict;
  expect(verdict("git ls-files | xargs sed -i s/a/b/")).toBe("ask");
  expect(verdict("git ls-files | xargs wc -l")).toBe("allow");
  expect(verdict("rg --files .github | xargs sed -i s/a/b/")).toBe("ask");
  expect(verdict("rg --files | xargs sed -i s/a/b/")).toBe("allow");
  expect(verdict("git stash push .github")).toBe("ask");
  expect(verdict("git stash")).toBe("allow");
});

test("stashing is asked about once a protected file has changed, and so is what takes all of it back", () => {
  const file = join(workspace, ".github/workflows/ci.yml");
  const all = [
    "git stash",
    "git stash -u",
    "git stash push -- .",
    "git checkout .",
    "git restore .",
    "git reset --hard",
  ];
  const named = (command: string) => reasons(command).filter((because) => because.includes("ci.yml"));
  expect(all.map(named)).toEqual(all.map(() => []));
  writeFileSync(file, "new\n");
  try {
    expect(all.filter((command) => judged(command).verdict !== "ask")).toEqual([]);
    expect(all.map(named)).toEqual(all.map(() => ["would change .github/workflows/ci.yml, which is protected"]));
    expect(judged("git checkout .github").verdict).toBe("deny");
    expect(judged("git stash push src").verdict).toBe("allow");
  } finally {
    writeFileSync(file, "off\n");
  }
});

test("protected files that git does not track count where a stash takes them along", () => {
  writeFileSync(join(workspace, ".envrc"), "x\n");
  writeFileSync(join(workspace, ".git/info/exclude"), ".ignored\n.npmrc\n");
  try {
    expect(judged("git stash").verdict).toBe("allow");
    expect(judged("git stash -u").verdict).toBe("ask");
    rmSync(join(workspace, ".envrc"));
    writeFileSync(join(workspace, ".npmrc"), "x\n");
    expect(judged("git stash -u").verdict).toBe("allow");
    expect(judged("git stash -a").verdict).toBe("ask");
  } finally {
    rmSync(join(workspace, ".npmrc"));
  }
});

test("a person's own rule for git does not lift the question", () => {
  const rule = {
    id: "mine",
    source: "user",
    verdict: "allow",
    argv: ["git", "switch"],
    exact: false,
    because: "",
  } as const;
  const granting = { ...policy, rules: [...policy.rules, rule] };
  const command = "git switch --detach older";
  expect(judge({ tool: "Bash", input: { command }, cwd: workspace }, granting, realMachine).verdict).toBe("ask");
});
