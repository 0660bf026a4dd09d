import { expect, test } from "vitest";
import { HELD_PARTS } from "../../contract/agent-call.ts";
import type { Policy } from "../../contract/policy.ts";
import { judge, type JudgeExtras } from "../judge/judge.ts";
import { fakeMachine } from "../machine/fake-machine.ts";
import { PRESETS } from "../presets/presets.ts";

const daily: Policy = { ...PRESETS.default, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" };
const judged = (command: string, extras: JudgeExtras) =>
  judge({ tool: "Bash", input: { command } }, daily, { ...fakeMachine({}), ...extras });

test.each([
  ["git fetch && git rebase origin/main", "allow", "ask"],
  ["git rebase -i HEAD~3", "allow", "ask"],
  ["git rebase --continue", "allow", "allow"],
  ["git rebase --abort", "ask", "ask"],
  ["git rebase --ab", "ask", "ask"],
  ["git rebase --skip", "ask", "ask"],
])("%s, where nothing could be restored: %s inside, and without a sandbox %s", (command, inside, outside) => {
  const lost: JudgeExtras = { contained: HELD_PARTS, recoverable: () => false };
  expect([judged(command, lost).verdict, judged(command, {}).verdict]).toEqual([inside, outside]);
});

test.each([
  ["allow", "git checkout ."],
  ["allow", "git checkout -- a.txt"],
  ["allow", "git restore a.txt"],
  ["allow", "git reset --hard HEAD~1"],
  ["allow", "git clean -fd"],
  ["allow", "git switch -f main"],
  ["ask", "git clean -fdx"],
  ["ask", "git clean -fdX"],
  ["ask", "git clean -ffd"],
  ["ask", "git clean -fd -e '!.env'"],
  ["ask", "git stash drop"],
  ["ask", "git branch -D work"],
  ["ask", "git tag -d v1"],
  ["ask", "git reflog expire --all"],
  ["ask", "git worktree remove ../other"],
])("%s inside, where all could be restored but git's own data and what it ignores: %s", (verdict, command) => {
  const kept: JudgeExtras = { contained: HELD_PARTS, recoverable: (_, scope) => scope === "unignored" };
  const lost: JudgeExtras = { contained: HELD_PARTS, recoverable: () => false };
  expect([judged(command, kept).verdict, judged(command, lost).verdict]).toEqual([verdict, "ask"]);
});

test.each([
  ["ssh host.example ls", "host.example:22"],
  ["ssh -p 2222 me@host.example", "host.example:2222"],
  ["scp -P 2222 a.txt me@host.example:b", "host.example:2222"],
  ["sftp host.example", "host.example:22"],
  ["rsync a.txt host.example:b", "host.example:22"],
])("%s is asked about with the port that it uses: %s", (command, host) => {
  const { because, findings } = judged(command, {});
  expect(because).toBe(`${host} is not in network.allow`);
  expect(findings.filter(({ rule }) => rule === "network").length).toBe(1);
});
