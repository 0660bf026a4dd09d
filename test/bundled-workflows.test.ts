import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { approve, bundledScene, HOSTILE, SUM, told } from "./support/bundled-scene.ts";
import { git } from "./support/git-repository.ts";
import { tempFolder } from "./support/temp-folder.ts";

const GREEN = { ...SUM, "sum.sh": "echo $(($1 + $2))\n" };
const json = (value: unknown) => JSON.stringify(value);
const finding = (problem: string) => ({ severity: "blocking", file: "sum.sh", line: 1, problem, fix: "fix it" });

test(
  "investigate: quotes are checked, the answer is printed, and a change of files is a failure",
  { timeout: 180_000 },
  async () => {
    const evidence = [
      { claim: "it adds", file: "sum.sh", quote: "  echo $(($1 + $2)) " },
      { claim: "made up", file: "sum.sh", quote: "echo 42" },
      { claim: "outside", file: "../secret", quote: "x" },
    ];
    const explore = (shell: readonly string[]) =>
      told("Find the answer to this question", shell, json({ answer: "It adds.", evidence, not_checked: [] }));
    const doubt = told("not found: sum.sh: echo 42", [], "It adds two numbers (sum.sh:1).");
    const { run, cwd } = await bundledScene(GREEN, [explore([]), doubt]);
    const { code, context, report } = await run("investigate", { task_description: HOSTILE });
    expect([code, context["quotes"], report]).toEqual([
      0,
      ["found: sum.sh:1: echo $(($1 + $2))", "not found: sum.sh: echo 42", "not in the repository: ../secret"],
      "It adds two numbers (sum.sh:1).",
    ]);
    expect(git(cwd, "status", "--short")).toBe("");
    const careless = await bundledScene(GREEN, [explore(["echo x > left.txt"]), doubt]);
    const failed = await careless.run("investigate", { task_description: "why?" });
    expect([failed.code, failed.steps["unchanged"]?.output]).toEqual([1, "A\tleft.txt"]);
  },
);

test(
  "review-change: three sides and a judge; only strict makes blocking findings a failure",
  { timeout: 180_000 },
  async () => {
    const { run, cwd, asked } = await bundledScene(GREEN, [
      told(
        "Three colleagues reviewed",
        [],
        json({ verdict: "request-changes", findings: [finding("overflow")], report: "Overflows." }),
      ),
      told("Review this change from one side only", [], json({ findings: [finding("overflow")] })),
    ]);
    const nothing = await run("review-change");
    expect([nothing.code, nothing.steps["change"]?.error]).toEqual([
      1,
      expect.stringContaining("nothing has changed since"),
    ]);
    writeFileSync(join(cwd, "sum.sh"), "echo $(($1 + $2 + 0))\n");
    const shown = await run("review-change", { base: "HEAD" });
    expect([shown.code, shown.report]).toEqual([0, "Overflows.\n\nverdict: request-changes"]);
    expect(
      ["Correctness:", "Security and data:", "The task and the tests:", "+echo $(($1 + $2 + 0))"].filter(
        (text) => !asked().includes(text),
      ),
    ).toEqual([]);
    const strict = await run("review-change", { strict: "true" });
    expect([strict.code, strict.steps["verdict"]?.error]).toEqual([1, "exit code 1: the review asks for changes"]);
    const unknown = await run("review-change", { base: "--output=x" });
    expect([unknown.code, unknown.steps["change"]?.error]).toEqual([
      1,
      expect.stringContaining("there is no commit '--output=x'"),
    ]);
  },
);

test("consensus: every voice answers on its own, and the judge decides", { timeout: 180_000 }, async () => {
  const { run, asked } = await bundledScene(GREEN, [
    told(
      "Several colleagues answered",
      [],
      json({ answer: "Use sh.", agreement: "all", dissent: "slow", confidence: "high" }),
    ),
    told("Answer this on your own", [], "sh, because it is everywhere"),
  ]);
  const { code, context, report } = await run("consensus", {
    task_description: "which shell?",
    agents: '["native", ""]',
  });
  expect([code, context["answers"], report]).toEqual([
    0,
    ["sh, because it is everywhere", "sh, because it is everywhere"],
    "Use sh.\n\nagreement: all, confidence: high\nagainst it: slow",
  ]);
  expect(asked().includes("You are number 1 of several")).toBe(true);
  const unknown = await run("consensus", { task_description: "which?", agents: '["nobody"]' });
  expect([unknown.code, unknown.steps["answers"]?.error]).toEqual([1, expect.stringContaining("nobody")]);
});

test("quality-loop: findings are fixed until nothing blocking is left", { timeout: 180_000 }, async () => {
  const { run, cwd } = await bundledScene(GREEN, [
    told("found problems, or the tests failed", ["printf 'echo $(($1 + $2)) # adds\\n' > sum.sh"], "Commented."),
    told("# adds", [], json({ verdict: "approve", findings: [{ severity: "minor", problem: "short" }] })),
    told("Review this change", [], json({ verdict: "approve", findings: [finding("no comment")] })),
  ]);
  writeFileSync(join(cwd, "sum.sh"), "echo $(( $1 + $2 ))\n");
  const { code, report } = await run("quality-loop", { task_description: "tidy" });
  expect([code, report]).toEqual([0, expect.stringContaining("Nothing blocking is left, and 'make test' passes.")]);
  expect(report).toContain("Commented.");
  expect(readFileSync(join(cwd, "sum.sh"), "utf8")).toBe("echo $(($1 + $2)) # adds\n");
});

const DEVELOP = [
  told("Plan this task", [], json({ title: "Add $(touch pwned) three", approach: "", acceptance: [] })),
  told("Write the tests for this task", [`echo 'sh sum.sh 1 2 3 | grep -q 6' >> test/sum.test.sh`], "1 2 3 is 6"),
  told("Implement this task", ["printf 'echo $(($1 + $2 + ${3:-0}))\\n' > sum.sh"], "Adds $(touch pwned) three."),
  approve,
];

test(
  "default-workflow: a branch with a commit in a worktree; the checkout is left alone; a push only on request",
  { timeout: 300_000 },
  async () => {
    const { run, cwd } = await bundledScene(GREEN, DEVELOP);
    writeFileSync(join(cwd, "notes.txt"), "mine");
    const origin = tempFolder();
    execFileSync("git", ["init", "-q", "--bare", origin]);
    git(cwd, "remote", "add", "origin", origin);
    const first = await run("default-workflow", {}, { AMPLIHACK_TASK_DESCRIPTION: HOSTILE, AMPLIHACK_REPO_PATH: "." });
    const branch = "signalbox/it-s-this-id-touch-pwned";
    expect([first.code, first.steps["push"]?.status]).toEqual([0, "skipped"]);
    expect(first.report).toContain(`git push -u origin ${branch}\n`);
    expect(git(cwd, "log", "--format=%s%n%b", `main..${branch}`)).toBe(
      "Add $(touch pwned) three\nAdds $(touch pwned) three.\n\n",
    );
    expect(git(cwd, "diff", "--name-only", "main", branch)).toBe("sum.sh\ntest/sum.test.sh\n");
    expect([git(cwd, "status", "--short"), git(cwd, "branch", "--show-current")]).toEqual(["?? notes.txt\n", "main\n"]);
    expect(execFileSync("git", ["branch"], { cwd: origin, encoding: "utf8" })).toBe("");
    const second = await run("default-workflow", { task_description: HOSTILE, push: "true" });
    expect([second.code, execFileSync("git", ["branch"], { cwd: origin, encoding: "utf8" }).trim()]).toEqual([
      0,
      `${branch}-2`,
    ]);
    expect(existsSync(join(cwd, "pwned"))).toBe(false);
    const bad = await run("default-workflow", { task_description: "x", branch: "a b" });
    expect([bad.code, bad.steps["worktree"]?.error]).toEqual([
      1,
      expect.stringContaining("'a b' is not a branch name"),
    ]);
  },
);

test(
  "smart-orchestrator: each kind of task gets its workflow, and what cannot be classified is not guessed",
  { timeout: 300_000 },
  async () => {
    const classify = (kind: string) => told(`say ${kind}`, [], json({ kind, because: "so" }));
    const { run, cwd } = await bundledScene(GREEN, [
      told("Answer this question.", [], "It is a shell script."),
      told("Do this. Report what you ran", ["echo cleaned > cleaned.txt"], "I cleaned up."),
      told("Find the answer to this question", [], json({ answer: "It adds.", evidence: [], not_checked: [] })),
      told("A colleague investigated a question", [], "It adds (sum.sh)."),
      ...["question", "operation", "investigation", "nonsense"].map(classify),
      ...DEVELOP,
    ]);
    const reports = [];
    for (const kind of ["question", "operation", "investigation"])
      reports.push((await run("smart-orchestrator", { task_description: `say ${kind}`, repo_path: "." })).report);
    expect(reports).toEqual(["It is a shell script.", "I cleaned up.", "It adds (sum.sh)."]);
    expect(readFileSync(join(cwd, "cleaned.txt"), "utf8")).toBe("cleaned\n");
    const guessed = await run("smart-orchestrator", { task_description: "say nonsense" });
    expect([guessed.code, guessed.steps["kind"]?.error]).toEqual([
      1,
      expect.stringContaining("pass the kind: -c task_type=development"),
    ]);
    const developed = await run("smart-orchestrator", { task_description: "three numbers", task_type: "development" });
    expect([developed.code, developed.steps["classify"]?.status]).toEqual([0, "skipped"]);
    expect(developed.report).toContain("Branch signalbox/three-numbers, commit ");
  },
);
