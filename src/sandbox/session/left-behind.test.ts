import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasSandbox, openScene, type SceneParts } from "../../../test/support/sandbox-scene.ts";
import { lookAfter } from "./left-behind.ts";
import type { SandboxEvent } from "../linux/start-session.ts";

const GIT =
  "git config --global user.email a@b; git config --global user.name a; git config --global init.defaultBranch main";
const initialize = (folder: string) => spawnSync("git", ["init", "-q", "-b", "main", folder]);

interface LeaveParts extends SceneParts {
  readonly before?: (this: { readonly workspace: string }) => void;
}

/** What a session with this command says at its end, and what is left then. */
async function leave(line: string, { policy = {}, before = () => undefined, ...parts }: LeaveParts = {}) {
  const events: SandboxEvent[] = [];
  const scene = await openScene({
    ...parts,
    policy,
    onEvent: (event) => events.push(event),
    layOut(_, workspace) {
      initialize(workspace);
      writeFileSync(join(workspace, "file"), "1");
      before.call({ workspace });
    },
  });
  const { workspace } = scene;
  const { output } = scene.run(`${GIT}\n${line}`);
  await scene.sandbox[Symbol.asyncDispose]();
  const told = events.flatMap((event) => {
    if (event.type === "self-running")
      return [[event.type, ...event.paths.map((path) => path.slice(workspace.length + 1))]];
    if (event.type !== "disarmed" && event.type !== "armed") return [];
    return [[event.type, event.path.slice(workspace.length + 1), ...event.parts]];
  });
  return {
    scene,
    workspace,
    output,
    told,
    read: (path: string) => readFileSync(join(workspace, path), "utf8"),
  };
}

/** What git runs when somebody asks for the state of a folder. */
function runsIn(folder: string, marker: string): boolean {
  for (const args of [
    ["status"],
    ["-c", "core.bare=false", "--work-tree=.", "status"],
    ["diff"],
    ["commit", "-qam", "x"],
  ])
    spawnSync("git", args, { cwd: folder, env: { ...process.env, GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b" } });
  return existsSync(marker);
}

const MARK = (key: string) => `git config ${key} "touch $PWD/../marker; false"`;

describe.skipIf(!hasSandbox)("a repository that commands create", () => {
  test.each([
    ["with the helper", {}],
    ["without it", { findHelper: () => undefined }],
  ])("keeps harmless settings, and loses those that run programs and its hooks, %s", async (_, parts) => {
    const { scene, workspace, told, read } = await leave(
      `git init -q --template= sub; cd sub; ${MARK("core.fsmonitor")}; git config remote.origin.url https://example.org/x
       git config remote.origin.uploadpack "touch $PWD/../marker"; mkdir .git/hooks; printf '#!/bin/sh\\ntouch %s/../marker\\n' $PWD >.git/hooks/post-index-change; chmod +x .git/hooks/*`,
      parts,
    );
    expect(told).toEqual([
      ["disarmed", "sub/.git", "core.fsmonitor", "remote.origin.uploadpack", "hooks/post-index-change"],
    ]);
    expect(read("sub/.git/config")).toContain('[remote "origin"]\n\turl = "https://example.org/x"\n');
    expect(read("sub/.git/config")).not.toMatch(/fsmonitor|uploadpack/);
    expect(runsIn(join(workspace, "sub"), join(workspace, "marker"))).toBe(false);
    expect(spawnSync("ls", ["-A", join(scene.home, ".signalbox/kept")]).stdout.toString()).not.toBe("");
    await scene[Symbol.asyncDispose]();
  });

  test("is left alone when nothing in it runs anything", async () => {
    const { scene, told, read } = await leave(
      `git init -q a; (cd a; git commit -q --allow-empty -m 1; git branch topic; git worktree add -q ../w topic)
       git clone -q a b; git -C b config user.name me; git init -q --bare c`,
    );
    expect(told).toEqual([]);
    expect(read("b/.git/config")).toContain("remote = origin");
    expect(existsSync(join(scene.workspace, "w/.git"))).toBe(true);
    await scene[Symbol.asyncDispose]();
  });

  test.each([
    ["a bare one", `git init -q --bare sub; cd sub; ${MARK("core.fsmonitor")}`, "sub"],
    [
      "one with its folder elsewhere",
      `git init -q --separate-git-dir=store sub; cd sub; ${MARK("core.fsmonitor")}`,
      "sub",
    ],
    [
      "one behind a link",
      `git init -q real; cd real; ${MARK("core.fsmonitor")}; mkdir ../sub; ln -s ../real/.git ../sub/.git`,
      "sub",
    ],
    [
      "one with settings for a worktree",
      `git init -q sub; cd sub; git config extensions.worktreeConfig true; git config --worktree core.fsmonitor "touch $PWD/../marker; false"`,
      "sub",
    ],
    [
      "one that includes settings",
      `git init -q sub; cd sub; printf '[core]\\nfsmonitor = "touch %s/../marker; false"\\n' $PWD >more; git config include.path ../more`,
      "sub",
    ],
    [
      "a worktree that is led elsewhere",
      `git init -q evil; git -C evil config core.fsmonitor "touch $PWD/marker; false"; git add file; git commit -qm 1; git worktree add -q sub; echo $PWD/evil/.git >.git/worktrees/sub/commondir`,
      "sub",
    ],
    [
      "in a folder that was closed",
      `mkdir -p x/y; git init -q x/sub; cd x/sub; git config core.fsmonitor "touch $PWD/../../marker; false"; chmod 000 ..`,
      "x/sub",
    ],
    ["that was closed itself", `git init -q sub; cd sub; ${MARK("core.fsmonitor")}; chmod 000 .git/hooks .git`, "sub"],
    [
      "in a folder of dependencies",
      `git init -q node_modules/a/sub; cd node_modules/a/sub; git config core.fsmonitor "touch $PWD/../../../marker; false"`,
      "node_modules/a/sub",
    ],
    [
      "with settings that git cannot read",
      `git init -q sub; printf '[core]\\nfsmonitor = "touch %s/marker' $PWD >sub/.git/config`,
      "sub",
    ],
    ["with a pipe for settings", `git init -q sub; rm sub/.git/config; mkfifo sub/.git/config`, "sub"],
    [
      "with a url that starts a program",
      `git init -q sub; git -C sub config remote.origin.url 'ext::sh -c touch% marker'`,
      "sub",
    ],
    [
      "with a link for hooks",
      `git init -q sub; rm -rf sub/.git/hooks; mkdir h; printf '#!/bin/sh\\ntouch %s/marker' $PWD >h/post-index-change; chmod +x h/*; ln -s ../../h sub/.git/hooks`,
      "sub",
    ],
  ])("runs nothing afterwards: %s", async (_, line, folder) => {
    const { scene, workspace, told } = await leave(line);
    expect(told.map(([type]) => type)).toContain("disarmed");
    spawnSync("chmod", ["-R", "u+rwX", workspace]);
    expect(runsIn(join(workspace, folder), join(workspace, "marker"))).toBe(false);
    await scene[Symbol.asyncDispose]();
  });
});

describe.skipIf(!hasSandbox)("what else is told", () => {
  test.each([
    ["nothing", []],
    ["another file of Claude", [".claude"]],
  ])("the note of the launch about the active agent, and %s: named is only what is not ours", async (other, named) => {
    const events: SandboxEvent[] = [];
    const scene = await openScene({ onEvent: (event) => events.push(event) });
    const folder = join(scene.workspace, ".claude/runtime");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "launcher_context.json"), "{}");
    if (other !== "nothing") writeFileSync(join(scene.workspace, ".claude/settings.json"), "{}");
    await scene.sandbox[Symbol.asyncDispose]();
    const paths = events.flatMap((event) => (event.type === "self-running" ? event.paths : []));
    expect(paths.map((path) => path.slice(scene.workspace.length + 1))).toEqual(named);
    await scene[Symbol.asyncDispose]();
  });

  test("new files below the top that programs read by themselves are named, without those of dependencies", async () => {
    const { scene, told } = await leave(
      `mkdir -p app/.vscode app/.github/copilot node_modules/x; touch app/.envrc app/.vscode/tasks.json app/.vscode/extensions.json app/.github/copilot/x app/readme x.code-workspace node_modules/x/.npmrc`,
    );
    expect(told).toEqual([
      ["self-running", "x.code-workspace", "app/.envrc", "app/.github/copilot", "app/.vscode/tasks.json"],
    ]);
    await scene[Symbol.asyncDispose]();
  });

  test("a rebase that would run programs when somebody goes on with it is named", async () => {
    const { scene, told } = await leave(
      `git add .; git commit -qm 1; git commit -q --allow-empty -m 2; GIT_SEQUENCE_EDITOR="sed -i '1i break'" git rebase -q -i -x 'touch marker' HEAD~1`,
    );
    expect(told).toEqual([["self-running", ".git/rebase-merge/git-rebase-todo"]]);
    await scene[Symbol.asyncDispose]();
  });

  test("what was there before the session stays as it was", async () => {
    const { scene, told, read } = await leave("cd old && git add . && git commit -qm 2 && touch ../app/other", {
      before() {
        const { workspace } = this;
        const old = join(workspace, "old");
        initialize(old);
        spawnSync("git", ["-C", old, "config", "core.fsmonitor", "false; true"]);
        writeFileSync(join(old, "file"), "1");
        writeFileSync(join(old, ".git/hooks/post-commit"), "#!/bin/sh\n");
        chmodSync(join(old, ".git/hooks/post-commit"), 0o755);
        mkdirSync(join(workspace, "app"));
        writeFileSync(join(workspace, "app/.envrc"), "1");
      },
    });
    expect(told).toEqual([]);
    expect(read("old/.git/config")).toContain("fsmonitor");
    expect(existsSync(join(scene.workspace, "old/.git/hooks/post-commit"))).toBe(true);
    await scene[Symbol.asyncDispose]();
  });

  test("a policy can let new repositories keep what they have", async () => {
    const { scene, told } = await leave(`git init -q vendor/sub; git -C vendor/sub config core.fsmonitor true`, {
      policy: { newRepositories: ["vendor"] },
    });
    expect(told).toEqual([]);
    await scene[Symbol.asyncDispose]();
  });

  test.each([
    ["with the helper", undefined],
    ["without it", ""],
  ])("a session whose signalbox was killed is looked after later, %s", async (_, helper) => {
    const scene = await openScene({ layOut: (_, workspace) => void initialize(workspace) });
    const folder = join(scene.sandbox.program, "..");
    scene.run(`git init -q sub; git -C sub config core.fsmonitor "touch marker"; touch sub/.envrc`);
    expect(await lookAfter(folder, helper)).toEqual([
      {
        type: "disarmed",
        path: join(scene.workspace, "sub/.git"),
        parts: ["core.fsmonitor"],
        kept: join(scene.home, ".signalbox/kept", basename(folder)),
        isSure: true,
      },
      { type: "self-running", paths: [join(scene.workspace, "sub/.envrc")] },
    ]);
    await scene[Symbol.asyncDispose]();
  });
});
