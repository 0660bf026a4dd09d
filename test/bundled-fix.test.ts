import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { approve, bundledScene, HOSTILE, SUM, told } from "./support/bundled-scene.ts";
import { git } from "./support/git-repository.ts";

const ADD = "echo $(($1 + $2))\n";
const FIX = "printf 'echo $(($1 + $2))\\n' > sum.sh";
const WEAKEN = "echo true > test/sum.test.sh";
const REQUEST = (problem: string) =>
  JSON.stringify({
    verdict: "request-changes",
    findings: [{ severity: "blocking", file: "sum.sh", line: 1, problem }],
  });

test(
  "fix-failing-test: an agent that weakens the test is told, fixes the code, and the tests are as they were",
  { timeout: 300_000 },
  async () => {
    const { cwd, run, asked } = await bundledScene(SUM, [
      told(
        "Restore them and change the code",
        ["git show HEAD:test/sum.test.sh > test/sum.test.sh", FIX],
        "The sign was wrong.",
      ),
      told("Tests fail in this repository", [WEAKEN], "I changed the test."),
      approve,
    ]);
    const { code, success, report, steps } = await run("fix-failing-test", { task_description: HOSTILE });
    expect([code, success, steps["reproduce"]?.output]).toEqual([0, true, expect.stringContaining("2 + 3 is not 5")]);
    expect(report).toMatch(/^Fixed: 'make test' failed before and passes now, with the same tests\.\n sum\.sh \|/);
    expect(report).toContain("The sign was wrong.");
    expect([readFileSync(join(cwd, "sum.sh"), "utf8"), git(cwd, "status", "--short")]).toEqual([ADD, "M  sum.sh\n"]);
    expect(asked().includes(JSON.stringify(HOSTILE).slice(1, -1))).toBe(true);
    expect(existsSync(join(cwd, "pwned"))).toBe(false);
  },
);

test(
  "fix-failing-test: an agent that does not fix it, or only weakens the test, is no success",
  { timeout: 300_000 },
  async () => {
    for (const [shell, error] of [
      ["true", "the answer says that something was changed, and nothing was"],
      ["touch other.sh", "check: tests-pass: exit code 2"],
      [WEAKEN, "check: tests-kept: exit code 1: the tests were changed"],
    ] as const) {
      const { run, recipe } = await bundledScene(SUM, [
        told("Tests fail in this repository", [shell], "All fixed!"),
        approve,
      ]);
      const { code, success, steps, stderr } = await run("fix-failing-test");
      expect([code, success, steps["fix"]?.status, steps["fix"]?.error]).toEqual([
        1,
        false,
        "failed",
        expect.stringContaining(error),
      ]);
      expect(Object.keys(steps)).not.toContain("report");
      expect(stderr.match(/is tried again/g)).toHaveLength(2);
      const shown = await recipe(["run", "fix-failing-test", "--agent", "native", "-c", "test_command=true"]);
      expect([shown.code, shown.stdout]).toEqual([
        0,
        expect.stringContaining("\n\nNothing to fix: 'true' passes.\n\n"),
      ]);
    }
  },
);

test(
  "fix-failing-test: a review that asks for changes is followed, and one that never ends makes the run fail",
  { timeout: 300_000 },
  async () => {
    const fix = told("Tests fail in this repository", [FIX], "Fixed.");
    const { run, cwd } = await bundledScene(SUM, [
      fix,
      told("found problems, or the tests failed", ["echo '# adds' >> sum.sh"], "Commented."),
      told("+# adds", [], '{"verdict": "approve", "findings": []}'),
      told("Review this change", [], REQUEST("no comment")),
    ]);
    const followed = await run("fix-failing-test");
    expect([followed.code, readFileSync(join(cwd, "sum.sh"), "utf8")]).toEqual([0, `${ADD}# adds\n`]);
    const endless = await bundledScene(SUM, [
      fix,
      told("found problems, or the tests failed", ["echo '# more' >> sum.sh"], "Commented."),
      told("Review this change", [], REQUEST("never good enough")),
    ]);
    const { code, steps } = await endless.run("fix-failing-test");
    expect([code, steps["review"]?.error]).toEqual([1, "nothing-blocking: exit code 1: the review asks for changes"]);
    expect(steps["review"]?.output).toContain("never good enough");
  },
);

const PLAN = told(
  "Plan this task",
  [],
  JSON.stringify({ title: "Add three numbers", approach: "a", acceptance: ["1 2 3 is 6"], files: [], risks: [] }),
);
const GREEN = {
  ...SUM,
  Makefile: ".PHONY: test\ntest:\n\tfor t in test/*.test.sh; do sh $$t || exit 1; done\n",
  "sum.sh": ADD,
};
const NEW_TEST = `echo '[ "$(sh sum.sh 1 2 3)" = 6 ]' > test/three.test.sh`;
const THREE = "printf 'echo $(($1 + $2 + ${3:-0}))\\n' > sum.sh";

test("implement-feature: the new tests fail before the change and pass after it", { timeout: 300_000 }, async () => {
  const { cwd, run, asked } = await bundledScene(GREEN, [
    PLAN,
    told("so they prove nothing", [NEW_TEST], "1 2 3 is 6"),
    told(
      "In this step only tests may be added",
      ["git show HEAD:sum.sh > sum.sh", "echo true > test/three.test.sh"],
      "A test.",
    ),
    told("Write the tests for this task", [THREE, NEW_TEST], "Tests and the code."),
    told("Implement this task", [THREE], "Three are added."),
    approve,
  ]);
  const { code, report, stderr, steps } = await run("implement-feature", { task_description: HOSTILE });
  expect([code, steps["tests"]?.status]).toEqual([0, "completed"]);
  expect(
    [...stderr.matchAll(/(only-tests|tests-fail-first) .*?: exit code (\d)/g)].map(([, step, exit]) => [step, exit]),
  ).toEqual([
    ["only-tests", "1"],
    ["tests-fail-first", "1"],
  ]);
  expect(report).toMatch(/^Add three numbers\n\nThe new tests failed before the change, and 'make test' passes now\./);
  expect(git(cwd, "status", "--short")).toBe("M  sum.sh\nA  test/three.test.sh\n");
  expect(asked().includes("sum.sh is not a test file")).toBe(true);
});

test(
  "implement-feature: tests that prove nothing, work without a change, and red tests before it are refused",
  { timeout: 300_000 },
  async () => {
    const vain = await bundledScene(GREEN, [
      PLAN,
      told("Write the tests for this task", ["echo true > test/three.test.sh"], "A test."),
    ]);
    const proved = await vain.run("implement-feature", { task_description: "add three" });
    expect([proved.code, proved.steps["tests"]?.error]).toEqual([1, "tests-fail-first: exit code 1"]);

    const idle = await bundledScene(GREEN, [
      PLAN,
      told("Write the tests for this task", [NEW_TEST], "A test."),
      told("Implement this task", ["echo true > test/three.test.sh"], "Done."),
    ]);
    const weakened = await idle.run("implement-feature", { task_description: "add three" });
    expect([weakened.code, weakened.steps["change"]?.output]).toEqual([
      1,
      expect.stringContaining("  test/three.test.sh"),
    ]);

    writeFileSync(join(vain.cwd, "sum.sh"), "echo 0\n");
    const red = await vain.run("implement-feature", { task_description: "add three" });
    expect([red.code, red.steps["tests-pass-before"]?.error]).toEqual([
      1,
      expect.stringContaining("pass -c baseline=ignore"),
    ]);
  },
);
