import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { approve, HOSTILE, SUM, told } from "../support/bundled-scene.ts";
import { git, writeFiles } from "../support/git-repository.ts";
import { signalbox } from "../support/run-signalbox.ts";
import { containedAgent } from "./contained-agent.ts";

const GREEN = { ...SUM, "sum.sh": "echo $(($1 + $2))\n" };

const FIX = [
  told("Tests fail in this repository", ["printf 'echo $(($1 + $2))\\n' > sum.sh", "make test"], "The sign was wrong."),
  approve,
];
const IMPLEMENT = [
  told("Plan this task", [], JSON.stringify({ title: "Add three numbers", approach: "a", acceptance: ["1 2 3 is 6"] })),
  told("Write the tests for this task", ["echo 'sh sum.sh 1 2 3 | grep -q 6' >> test/sum.test.sh"], "1 2 3 is 6"),
  told("Implement this task", ["printf 'echo $(($1 + $2 + ${3:-0}))\\n' > sum.sh"], "Three are added."),
  approve,
];

test.each([
  ["codex", "fix-failing-test", SUM, FIX, "M  sum.sh\n"],
  ["claude", "implement-feature", GREEN, IMPLEMENT, "M  sum.sh\nM  test/sum.test.sh\n"],
] as const)("%s does %s, with a receipt for each of its steps", async (name, recipe, files, scenes, changed) => {
  const agent = await containedAgent(name, { scenes: [...scenes] });
  await using _agent = agent;
  const { cwd, env, home } = agent;
  writeFiles(cwd, files);
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Test\n\temail = test@example.invalid\n");
  git(cwd, "add", "-A");
  git(cwd, "commit", "-qm", "first");
  const args = ["recipe", "run", recipe, "--agent", name, "--json", "-c", `task_description=${HOSTILE}`];
  const { code, stdout, stderr } = await signalbox(args, { cwd, env });
  const result = JSON.parse(stdout);
  expect([code, result.success], stderr).toEqual([0, true]);
  expect(result.step_results.at(-1).output).toMatch(/'make test'.* passes now/);
  expect([git(cwd, "status", "--short"), readFileSync(join(cwd, "sum.sh"), "utf8")]).toEqual([
    changed,
    expect.stringContaining("$1 + $2"),
  ]);
  const run = /recipe run ([0-9a-f-]{36})/.exec(stderr)?.[1] ?? "";
  const journal = readFileSync(join(home, ".signalbox/recipe-runs", run, "journal.jsonl"), "utf8");
  const receipts = [...journal.matchAll(/"t":"receipt","key":"[^"]+","run_id":"([^"]+)"/g)].map(
    (match) => match[1] ?? "",
  );
  expect(receipts).toHaveLength(scenes.length);
  const verified = await Promise.all(
    [run, ...receipts].map((id) => signalbox(["receipt", "verify", id], { cwd, env })),
  );
  expect(verified.map((each) => each.code)).toEqual([0, ...receipts.map(() => 0)]);
});
