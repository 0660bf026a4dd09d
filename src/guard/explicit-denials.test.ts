import { expect, test } from "vitest";
import type { Policy } from "../contract/policy.ts";
import { judge } from "./judge/judge.ts";
import { fakeMachine } from "./machine/fake-machine.ts";
import { PRESETS } from "./presets/presets.ts";

const deny = (...argv: readonly string[]) =>
  ({ id: argv.join(" "), source: "user", verdict: "deny", argv, exact: false, because: "mine" }) as const;
const policy: Policy = {
  ...PRESETS.default,
  version: 1,
  workspaceRoot: "/srv/repo",
  home: "/home/dev",
  rules: [
    ...PRESETS.default.rules,
    deny("git", "push"),
    deny("make", "deploy"),
    deny("npm", "run", "release"),
    deny("./deploy.sh"),
    { ...deny("docker", "compose", "down"), exact: true },
  ],
};
const verdict = (command: string, env: Record<string, string> = {}) =>
  judge({ tool: "Bash", input: { command, env } }, policy, fakeMachine({})).verdict;

test.each([
  "X=y git push",
  "A=b B=c git push",
  "X=$Y git push",
  "X+=y git push",
  "export X=y; git push",
  "make X=y deploy",
  "make -s X:=y deploy",
  "npm X=y run release",
  "git $X push",
  "docker compose $X down",
  "$X git push",
  "$(true) git push",
  "env $X git push",
  "{,git} push",
  "X='git push' sh -c '$X'",
  "X='git push' sh -c 'eval $X'",
  "X=git bash -c '$X push'",
  "X='git push' eval '$X'",
  "env X='git push' sh -c '$X'",
  "X=push; X=status true; git $X",
  "X=push export X; git $X",
  "X=status eval 'X=push'; git $X",
  "env -S 'X=y git push'",
  "env -S 'X=y' git push",
  "env -S 'X=y git' push",
  "env -iS'X=y git' push",
  "env --split-string='git push'",
  "env --split 'git push'",
  String.raw`env -S 'git\_push'`,
  `env -S '"git" push'`,
  "env -u A -S 'git push'",
  "parallel git ::: push",
  "parallel git {} origin ::: push",
  "echo push | parallel git",
  "printf 'x\\npush\\n' | parallel git",
])("a person's own denial holds: %s", (command) => {
  expect(verdict(command)).toBe("deny");
});

test.each(["./deploy.sh", ".//deploy.sh", "/srv/repo/deploy.sh", "deploy.sh", "X=y ./deploy.sh", "nice ./deploy.sh"])(
  "a program that is denied by its path is denied as %s",
  (command) => {
    expect(verdict(command)).toBe("deny");
  },
);

test("a variable that the tool sets is known to the command", () => {
  expect(verdict("git $X", { X: "push" })).toBe("deny");
  expect(verdict("git $X", { X: "status" })).toBe("ask");
});

test.each([
  "git commit -m push",
  "git status $X",
  "make X=y test",
  "X=push true; git status",
  "X=push git $X",
  "parallel git ::: status",
  "env -S 'git status'",
  "echo {,push}",
])("what only looks like it is not denied: %s", (command) => {
  expect(verdict(command)).not.toBe("deny");
});

test("a variable in front of a command is not known after it", () => {
  const findings = judge(
    { tool: "Bash", input: { command: "API_TOKEN=x true; echo $API_TOKEN" } },
    policy,
    fakeMachine({}),
  );
  expect(findings.findings.map(({ code }) => code)).toContain("secret-variable");
});
