import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { landlockAbi } from "../../test/support/landlock-scene.ts";
import { hasSandbox, openScene, type SceneParts } from "../../test/support/sandbox-scene.ts";
import { signalbox } from "../../test/support/run-signalbox.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { helperProgram } from "../lib/path/package-folder.ts";
import { PRESETS } from "../guard/presets/presets.ts";
import { openContainedSession } from "./contained-session.ts";
import { openSessionSandbox } from "./open-session-sandbox.ts";
import { startSandbox } from "./linux/session-sandbox.ts";
import { findBubblewrap } from "./prove-sandbox.ts";
import { entriesOf } from "./session/held-paths.ts";
import { planSession } from "./session/session-plan.ts";
import { makeStandIn } from "./session/stand-ins.ts";

/** `W`: the workspace, `M`: a file that only a program outside can make, `EVIL`: settings of git that make it. */
interface Attack {
  /** Outside, before the first session. */
  readonly before?: string;
  /** Each is the command of a session of its own. */
  readonly sessions: readonly string[];
  /** Outside, afterwards. */
  readonly after: string;
}

const EVIL = `printf '[core]\\nfsmonitor = "touch %s"\\n' $M`;
const HOOK = `printf '#!/bin/sh\\ntouch %s' $M`;
const NESTED = `git init -q n; cd n; git commit -q --allow-empty -m 1`;

const ATTACKS: Readonly<Record<string, Attack>> = {
  "commondir, after HEAD was away when the session began": {
    sessions: [
      "mv .git/HEAD .git/old",
      `mv .git/old .git/HEAD; mkdir x; cp -r .git/objects .git/refs x; ${EVIL} >x/config; echo ../x >.git/commondir`,
    ],
    after: "git status",
  },
  "hooks by the settings, after HEAD was away when the session began": {
    before: "git config core.hooksPath scripts; mkdir scripts; touch scripts/x",
    sessions: [
      "mv .git/HEAD .git/old",
      `mv .git/old .git/HEAD; ${HOOK} >scripts/post-index-change; chmod +x scripts/*; touch file`,
    ],
    after: "git status",
  },
  "a folder of worktrees that is a link to the home": {
    sessions: ["ln -s ../.. .git/worktrees; touch HEAD", "echo touch $M >>~/.bashrc"],
    after: ". ~/.bashrc",
  },
  "many files in front of what is protected": {
    before: "echo true >.envrc",
    sessions: ["mkdir +; cd +; seq 3000 | xargs touch", "echo touch $M >.envrc"],
    after: ". ./.envrc",
  },
  "a deep folder": {
    before: "mkdir -p a/b/c/d/e/f/g; echo true >a/b/c/d/e/f/g/.envrc",
    sessions: [
      "echo touch $M >a/b/c/d/e/f/g/.envrc; mv a z; mkdir -p a/b/c/d/e/f/g; echo touch $M >a/b/c/d/e/f/g/.envrc",
    ],
    after: ". a/b/c/d/e/f/g/.envrc",
  },
  "hooks of a nested repository": {
    before: `${NESTED}; git config core.hooksPath scripts; mkdir scripts; touch file; git add file`,
    sessions: [`${HOOK} >n/scripts/post-index-change; chmod +x n/scripts/*; touch n/file`],
    after: "cd n; git status",
  },
  "hooks that a path with a tilde names": {
    before: "git config core.hooksPath '~/work/scripts'; mkdir scripts",
    sessions: [`${HOOK} >scripts/post-index-change; chmod +x scripts/*; touch file`],
    after: "git status",
  },
  "hooks that the user's own settings name": {
    before: "git config --global core.hooksPath scripts; mkdir scripts",
    sessions: [`${HOOK} >scripts/post-index-change; chmod +x scripts/*; touch file`],
    after: "git status",
  },
  "settings of a worktree of a nested repository": {
    before: `${NESTED}; git config extensions.worktreeConfig true; git worktree add -q ../wt`,
    sessions: [`${EVIL} >n/.git/worktrees/wt/config.worktree`],
    after: "cd wt; git status",
  },
  "another repository for a worktree of a nested one": {
    before: `${NESTED}; git worktree add -q ../wt`,
    sessions: [
      `cp -r n/.git x; ${EVIL} >>x/config; mkdir -p x/objects x/refs; rm x/HEAD; echo "$W/x" >n/.git/worktrees/wt/commondir`,
    ],
    after: "cd wt; git status",
  },
};

const IDENTITY = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };

function scene() {
  const home = tempFolder();
  const workspace = join(home, "work");
  const marker = join(home, "evil-ran");
  mkdirSync(workspace);
  writeFileSync(join(home, ".bashrc"), "# mine\n");
  const env = { ...IDENTITY, HOME: home, W: workspace, M: marker };
  const outside = (line: string) =>
    spawnSync("bash", ["--norc", "-c", line], { cwd: workspace, env: { ...process.env, ...env } });
  outside("git init -qb main; echo 1 >file; git add file; git commit -qm 1");
  const inside = (line: string) => signalbox(["sandbox", "--", "bash", "-c", line], { cwd: workspace, env });
  return { home, workspace, marker, outside, inside };
}

test.skipIf(!hasSandbox).each(Object.entries(ATTACKS))("nothing runs outside because of %s", async (_, attack) => {
  const { home, marker, outside, inside } = scene();
  outside(attack.before ?? "true");
  for (const session of attack.sessions) await inside(`export W=${join(home, "work")} M=${marker}; ${session}`);
  outside(attack.after);
  expect(existsSync(marker)).toBe(false);
});

test.skipIf(!hasSandbox).each([
  [
    "with its folder elsewhere",
    "rm -rf .git; git init -q --separate-git-dir=gd .",
    "gd/config gd/hooks/x gd/commondir .git",
  ],
  [
    "that is bare, with worktrees",
    "mv .git .bare; git -C .bare config core.bare true; git -C .bare worktree add -q ../main; echo gitdir: ./.bare >.git",
    ".bare/config .bare/hooks/x .bare/worktrees/main/commondir main/.git",
  ],
  [
    "that is nested behind many files",
    "git init -q --separate-git-dir=store n; mkdir +; cd +; seq 3000 | xargs touch",
    "n/.git store/config store/hooks/x",
  ],
  ["that is bare and stands alone", "git init -q --bare a/b/x", "a/b/x/config a/b/x/hooks/x"],
])("a command cannot write what git follows in a repository %s", async (_, before, paths) => {
  const { outside, inside } = scene();
  outside(before);
  const refused = paths.split(" ").map((path) => `${path}: refused\n`);
  const line = `for path in ${paths}; do { echo >>$path; } 2>/dev/null || echo "$path: refused"; done`;
  expect((await inside(line)).stdout).toBe(refused.join(""));
});

test.skipIf(!hasSandbox)("a link in a nested repository shows no secret", async () => {
  const { home, inside } = scene();
  mkdirSync(join(home, ".ssh"));
  writeFileSync(join(home, ".ssh/id"), "SECRET");
  await inside("mkdir -p n/.git ~/.ssh; ln -s ../../../.ssh n/.git/modules");
  expect((await inside("cat ~/.ssh/id; echo ran")).stdout).toBe("ran\n");
});

describe.skipIf(!hasSandbox)("protected paths that are links", () => {
  const layOut: SceneParts["layOut"] = (_, workspace) => {
    for (const [path, content] of [
      ["settings/settings.json", "{}"],
      ["config/prod", "the secret"],
      ["ci/workflows/ci.yml", "on:"],
    ] as const) {
      mkdirSync(join(workspace, dirname(path)), { recursive: true });
      writeFileSync(join(workspace, path), content);
    }
    symlinkSync("settings", join(workspace, ".claude"));
    symlinkSync("config/prod", join(workspace, ".env"));
    symlinkSync("ci", join(workspace, ".github"));
    symlinkSync("later", join(workspace, ".codex"));
  };

  test("are protected where they lead to, and cannot be replaced", async () => {
    const open = await openScene({ layOut });
    const { output } = open.run(
      `cat .env config/prod; echo evil >settings/settings.json; echo evil >ci/workflows/ci.yml; mv settings s; mv ci c
      mkdir later x y; echo evil >x/settings.json; rm .claude .github; mv x .claude; mv y .github`,
    );
    expect(output).not.toContain("the secret");
    await open.sandbox[Symbol.asyncDispose]();
    const read = (path: string) => readFileSync(join(open.workspace, path), "utf8");
    expect([read("settings/settings.json"), read("ci/workflows/ci.yml"), read("config/prod")]).toEqual([
      "{}",
      "on:",
      "the secret",
    ]);
    expect(readdirSync(open.workspace).toSorted()).toEqual([".codex", ".env", "ci", "config", "settings"]);
    await open[Symbol.asyncDispose]();
  });
});

test.skipIf(process.getuid?.() === 0)("no folder is opened through a link that takes its place", () => {
  const base = realpathSync(tempFolder());
  for (const folder of ["closed", "elsewhere/closed"]) mkdirSync(join(base, folder), { recursive: true });
  symlinkSync("elsewhere", join(base, "link"));
  for (const folder of ["closed", "elsewhere/closed"]) chmodSync(join(base, folder), 0);
  const mode = (path: string) => statSync(join(base, path)).mode & 0o777;
  expect(entriesOf(join(base, "closed"))).toEqual([]);
  expect(() => entriesOf(join(base, "link/closed"))).toThrow("EACCES");
  expect([mode("closed"), mode("elsewhere/closed")]).toEqual([0o700, 0]);
});

test("a file that stands in for a missing one is not made behind a link", () => {
  const base = realpathSync(tempFolder());
  for (const folder of ["records", "elsewhere"]) mkdirSync(join(base, folder));
  symlinkSync("elsewhere", join(base, "link"));
  for (const folder of ["records", "link"]) makeStandIn(join(base, folder, "commondir"));
  expect([readdirSync(join(base, "records")), readdirSync(join(base, "elsewhere"))]).toEqual([["commondir"], []]);
});

test("a loan is refused when a link in the workspace would lead it elsewhere", () => {
  const home = realpathSync(tempFolder());
  const workspace = join(home, "work");
  for (const folder of [join(workspace, "real"), join(home, ".ssh")]) mkdirSync(folder, { recursive: true });
  symlinkSync("../.ssh", join(workspace, "out"));
  symlinkSync("real", join(workspace, "in"));
  const policy = { ...PRESETS.ci, version: 1, workspaceRoot: workspace, home, sandbox: "workspace" } as const;
  const place = { signalboxHome: join(home, ".signalbox"), privateHome: undefined, path: "" };
  const lend = (name: string) => () => planSession(policy, { ...place, extraWritable: [join(workspace, name)] });
  expect(lend("out")).toThrow("leads out of the workspace by a link");
  expect(lend("in")().mounts.at(-1)).toEqual({ kind: "writable", path: join(workspace, "real") });
});

describe.skipIf(!hasSandbox)("a folder that was closed", () => {
  test("hides nothing, at the start or when something is lent", async () => {
    const home = tempFolder();
    const workspace = join(home, "work");
    for (const folder of ["app", "lib/deep"]) {
      mkdirSync(join(workspace, folder), { recursive: true });
      writeFileSync(join(workspace, folder, ".env"), "the secret");
    }
    chmodSync(join(workspace, "lib"), 0o000);
    const policy = { ...PRESETS.ci, version: 1, workspaceRoot: workspace, home, sandbox: "workspace" } as const;
    const environment = { ...process.env, HOME: home, LENT: "1" };
    const session = await openContainedSession({
      policy,
      environment,
      signalboxHome: join(home, ".signalbox"),
      network: () => policy.network,
      isTainted: () => false,
      caller: { session: "s", agent: "test" },
      warn: () => undefined,
    });
    if (!session.contained) throw new Error(session.containment.because);
    const run = ([program = "", ...words]: readonly string[], line: string) =>
      spawnSync(program, [...words, line], { cwd: workspace, env: environment, encoding: "utf8" }).stdout;
    expect(run([session.program], "chmod 000 app; chmod 755 lib lib/deep; cat lib/deep/.env; echo ran")).toBe("ran\n");
    const lent = await session.lend([{ kind: "variable", target: "LENT", because: "" }], "env");
    expect(run(lent, "chmod 755 app; cat app/.env; echo ran")).toBe("ran\n");
    await session[Symbol.asyncDispose]();
  });
});

describe.skipIf(!hasSandbox)("a workspace in which the sandbox does not start", () => {
  const many = (workspace: string, path: (number: number) => string, count: number) => {
    for (let number = 0; number < count; number++) {
      mkdirSync(join(workspace, dirname(path(number))), { recursive: true });
      writeFileSync(join(workspace, path(number)), "");
    }
  };
  const open = (layOut: (home: string, workspace: string) => void) =>
    openScene({ layOut, policy: { sandbox: "auto" } });

  test.each([
    ["repositories", (number: number) => `d/${number}/.git/x`, 260],
    ["protected files and folders", (number: number) => `d/${number}/.npmrc`, 1000],
  ])("is refused under auto as well, by name: too many %s", async (what, path, count) => {
    const error = await open((_, workspace) => many(workspace, path, count)).catch((failure: unknown) => failure);
    expect(error).toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(new RegExp(`^there are \\d+ ${what} in .*/work, too many`)),
      where: expect.stringContaining("/work/d/"),
      fix: expect.stringContaining("to look: find "),
    });
  });

  test("is told from a machine that has changed since its trial, which is not refused", async () => {
    const [home, broken] = [tempFolder(), join(tempFolder(), "broken")];
    const bubblewrap = join(home, "bwrap");
    const message = "bwrap: No permissions to create new namespace";
    const real = findBubblewrap("/nowhere");
    writeFileSync(bubblewrap, `#!/bin/sh\n[ ! -e ${broken} ] || { echo ${message} >&2; exit 1; }\nexec ${real} "$@"\n`);
    chmodSync(bubblewrap, 0o755);
    const workspace = join(home, "work");
    mkdirSync(workspace);
    const policy = { ...PRESETS.ci, version: 1, workspaceRoot: workspace, home, sandbox: "auto" } as const;
    const parts = { environment: { ...process.env, HOME: home }, signalboxHome: join(home, ".signalbox") };
    const form = async (landlock: "allow" | "deny") => {
      const given = { ...parts, findBubblewrap: () => bubblewrap };
      await using sandbox = await openSessionSandbox({ ...policy, landlock }, given);
      return sandbox.contained && sandbox.containment.form;
    };
    expect([await form("deny"), await form("allow")]).toEqual(["bubblewrap", "bubblewrap"]);
    writeFileSync(broken, "");
    const weaker = landlockAbi > 0 && "landlock";
    expect([await form("deny"), await form("allow")]).toEqual([false, weaker]);
  });

  const start = (workspace: string, helper: string | undefined, change: string) => {
    const home = dirname(workspace);
    const bubblewrap = join(home, "bwrap");
    // It first changes the workspace, as a command of another session could.
    writeFileSync(bubblewrap, `#!/bin/sh\ncd ${workspace}\n${change}\nexec ${findBubblewrap("/nowhere")} "$@"\n`);
    chmodSync(bubblewrap, 0o755);
    const policy = { ...PRESETS.ci, version: 1, workspaceRoot: workspace, home, sandbox: "workspace" } as const;
    const parts = { environment: { ...process.env, HOME: home }, signalboxHome: join(home, ".signalbox") };
    return startSandbox(policy, parts, { bubblewrap, helper, closesUserNamespaces: false });
  };

  describe.each([
    ["with the helper", helperProgram()],
    ["without it", undefined],
  ])("%s", (_, helper) => {
    test.each([
      ["a folder becomes a link to the home", "mv sub old; ln -s .. sub", "sub"],
      ["a folder becomes a link within the workspace", "mv sub old; ln -s old sub", "sub"],
      ["a file is replaced by another one", "mv sub/.npmrc sub/old; touch sub/.npmrc", "sub/.npmrc"],
      ["a folder is replaced by another one", "mv sub old; mkdir sub; touch sub/.npmrc", "sub"],
    ])("nothing runs when %s while the sandbox starts", async (__, change, where) => {
      const workspace = join(realpathSync(tempFolder()), "work");
      mkdirSync(join(workspace, "sub"), { recursive: true });
      for (const path of ["sub/.npmrc", "../.npmrc"]) writeFileSync(join(workspace, path), "");
      await using unchanged = await start(workspace, helper, "");
      expect(unchanged.plan.workspace).toBe(workspace);
      await expect(start(workspace, helper, change)).rejects.toMatchObject({
        exitCode: 3,
        where: join(workspace, where),
      });
      expect(readdirSync(join(dirname(workspace), ".signalbox/s")).length).toBe(1);
    });
  });
});
