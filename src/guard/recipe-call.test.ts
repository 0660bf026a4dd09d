import { expect, test } from "vitest";
import type { Policy } from "../contract/policy.ts";
import { decide } from "./decide-and-record.ts";
import { fakeMachine } from "./machine/fake-machine.ts";
import { withoutRecipes, withOrderPolicy } from "./policy/compiled-policy.ts";
import { PRESETS, type PresetName } from "./presets/presets.ts";
import { boundRecipeRun } from "../lib/text/recipe-command.ts";

const HELD = ["disk", "secrets", "network", "processes"] as const;
const policyOf = (name: PresetName): Policy => ({
  ...PRESETS[name],
  version: 1,
  workspaceRoot: "/srv/repo",
  home: "/home/dev",
});

interface Session {
  readonly contained?: typeof HELD | undefined;
  readonly tainted?: boolean;
  readonly cwd?: string;
}

const inSession = (command: string, { cwd = "/srv/repo", ...session }: Session = {}, policy = policyOf("default")) => {
  const { verdict, contained } = decide({ tool: "Bash", input: { command }, cwd }, policy, {
    ...fakeMachine({}),
    kind: (path) => (path === "/srv/repo/sub/.git" ? "folder" : undefined),
    contained: HELD,
    ...session,
  });
  return [verdict, contained];
};

test.each([
  "signalbox recipe run fix-failing-test",
  "signalbox recipe run implement-feature -c task_description='add a \"--json\" flag; $(keep) it\nshort'",
  'signalbox recipe run implement-feature -c task_description="it is not done" --json',
  "signalbox recipe run investigate -c a=1 -c b=2 -f json --step-timeout 60 --include-tags a,b --no-auto-stage --dry-run",
])("%s runs, outside the session's sandbox", (command) => {
  expect(inSession(command)).toEqual(["allow", false]);
  expect(inSession(command, { cwd: "/srv/repo/src" })).toEqual(["allow", false]);
});

test.each([
  "signalbox recipe run ./x.yaml",
  "signalbox recipe run x.yaml",
  "signalbox recipe run ../x",
  "signalbox recipe run a/b",
  "signalbox recipe run",
  "signalbox recipe run --resume 3f2a",
  "signalbox recipe run x --yes",
  "signalbox recipe run x --outside push",
  "signalbox recipe run x --approve ship",
  "signalbox recipe run x --outside=push",
  "signalbox recipe run x -R /tmp/mine",
  "signalbox recipe run x -w ../other",
  "signalbox recipe run x --working-dir /srv/other",
  "signalbox recipe run x --policy mine.yaml",
  "signalbox recipe run x --preset none",
  "signalbox recipe run x --agent codex",
  "signalbox recipe run x -c a=file:///home/dev/.ssh/id_rsa",
  "signalbox recipe run x -c 'a=file:///etc/passwd'",
  "signalbox recipe run x -ca=file:///etc/passwd",
  "signalbox recipe run x --context=a=file:///etc/passwd",
  'signalbox recipe run x -c "a=$(cat .env)"',
  "signalbox recipe run x -c a=$HOME",
  "signalbox recipe run x -c a=~/x",
  "signalbox recipe run x; rm -rf .",
  "signalbox recipe run x && npm test",
  "signalbox recipe run x | tee log",
  "signalbox recipe run x > log",
  "signalbox recipe run x &",
  "unset SIGNALBOX_RUN; signalbox recipe run x",
  "cd /srv/other && signalbox recipe run x",
  "SIGNALBOX_SESSION= signalbox recipe run x",
  "AMPLIHACK_SESSION_DEPTH=0 signalbox recipe run x",
  "RECIPE_RUNNER_RECIPE_DIRS=/tmp/mine signalbox recipe run x",
  "env -u SIGNALBOX_RUN signalbox recipe run x",
  "script -qc 'signalbox recipe run x' /dev/null",
  "/tmp/signalbox recipe run x",
  "npx signalbox recipe run x",
])("%s is asked about", (command) => {
  expect(inSession(command)[0]).not.toBe("allow");
});

test("even a plain call is asked about without a sandbox, after untrusted text, and where other rules hold", () => {
  const plain = "signalbox recipe run fix-failing-test";
  expect([
    inSession(plain, { contained: undefined })[0],
    inSession(plain, { tainted: true })[0],
    inSession(plain, { cwd: "/srv/other" })[0],
    inSession(plain, { cwd: "/srv/repo/sub" })[0],
    inSession(plain, { cwd: "/srv/repo/sub/deep" })[0],
    inSession(plain, {}, withoutRecipes(policyOf("default")))[0],
    inSession(plain, {}, policyOf("none"))[0],
    inSession(plain, {}, policyOf("ci"))[0],
    inSession(plain, {}, policyOf("read-only"))[0],
  ]).toEqual(["ask", "ask", "ask", "ask", "ask", "ask", "ask", "deny", "deny"]);
});

test("a work order that restricts something starts no recipe unasked", () => {
  const plain = "signalbox recipe run fix-failing-test";
  const order = {
    allowed_tools: [],
    disallowed_tools: [],
    deny_read: [],
    deny_write: [],
    allow_network: [],
    deny_network: [],
    require_approval_for: [],
  };
  const under = (changed: object) =>
    inSession(plain, {}, withOrderPolicy(policyOf("default"), { ...order, ...changed }));
  expect([under({}), under({ deny_write: ["docs/**"] })[0]]).toEqual([["allow", false], "ask"]);
});

test("the call is bound to its session and folder, and no value changes what runs", () => {
  const start = {
    program: "/opt/signal box/bin/signalbox",
    variables: { SIGNALBOX_SESSION: "/x y" },
    cwd: "/srv/repo",
  };
  expect([
    boundRecipeRun("signalbox recipe run x -c 'a=it; rm'", start),
    boundRecipeRun("signalbox recipe run x --yes", start),
    boundRecipeRun("signalbox recipe run x", { ...start, cwd: undefined }),
  ]).toEqual([
    "SIGNALBOX_SESSION='/x y' '/opt/signal box/bin/signalbox' 'recipe' 'run' 'x' '-c' 'a=it; rm' '-w' '/srv/repo'",
    undefined,
    undefined,
  ]);
});
