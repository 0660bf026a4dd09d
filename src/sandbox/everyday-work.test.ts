import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasSandbox, openScene, type SandboxScene } from "../../test/support/sandbox-scene.ts";
import type { Policy } from "../contract/policy.ts";
import { PRESETS } from "../guard/presets/presets.ts";
import { openPrivateHome } from "./session/private-home.ts";
import { planSession } from "./session/session-plan.ts";

function layOut(home: string, workspace: string): void {
  for (const folder of ["go/bin", ".local/bin", ".local/lib/python3.99/site-packages"])
    mkdirSync(join(home, folder), { recursive: true });
  mkdirSync(join(home, ".config/git"), { recursive: true });
  writeFileSync(join(home, ".config/git/ignore"), "*.swp");
  writeFileSync(join(home, ".npmrc"), "@team:registry=https://npm.example.com/\n//npm.example.com/:_authToken=s\n");
  for (const name of ["same", "changed"]) writeFileSync(join(workspace, `.env.${name}`), "tracked\n");
  const script = `git init -q -b main && git config user.name a && git config user.email a@example.com
    git add -A && git commit -qm one && git update-ref refs/remotes/origin/main HEAD
    git config remote.origin.url /nowhere && git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'`;
  execFileSync("/bin/bash", ["-ec", script], { cwd: workspace, env: { PATH: process.env["PATH"], HOME: home } });
  writeFileSync(join(workspace, ".env"), "a secret\n");
}

describe.skipIf(!hasSandbox)("everyday work in a sandbox", () => {
  let scene: SandboxScene;
  const lines = (script: string) => scene.run(script).output.trim().split("\n");

  beforeAll(async () => {
    scene = await openScene({
      workspaceName: "code/proj",
      policy: { ...PRESETS.default, sandbox: "workspace" },
      layOut,
    });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test("git works beside a secret that it tracks, and a new branch tracks nothing instead of failing to", () => {
    expect(
      lines(`cat .env.same; cat .env 2>/dev/null; git status --porcelain
        echo more >> .env.same; git stash -q && git stash pop -q && touch mine.swp && git add -A && git commit -qm two && git show --name-only --format= HEAD
        git checkout -b f origin/main 2>&1; cat .env.same`),
    ).toEqual(["tracked", ".env.same", "Switched to a new branch 'f'", "tracked"]);
  });

  test("nothing can be written between the home and the workspace, where it would disappear", () => {
    const [worktree = "", ...others] = lines(
      "git worktree add -q ../wt 2>&1; git worktree list | wc -l; touch ../x 2>&1; ls ..; touch ~/x && ls ~/x",
    );
    expect(worktree).toContain("Read-only file system");
    expect(others).toEqual(["1", "touch: cannot touch '../x': Read-only file system", "proj", join(scene.home, "x")]);
    expect(readdirSync(join(scene.home, "code"))).toEqual(["proj"]);
  });

  test("what tools install is written in the private home and found on PATH", () => {
    expect(
      lines(`for folder in "$GOBIN" "$CARGO_HOME/bin" "$PYTHONUSERBASE/bin" "$(sed -n s/^prefix=//p ~/.npmrc)/bin"; do
          mkdir -p "$folder" && printf '#!/bin/sh\\necho "$0"' > "$folder/tool-$((++n))" && chmod +x "$folder/tool-$n" && tool-$n
        done; grep -v ^prefix ~/.npmrc; cat "$PYTHONUSERBASE"/lib/python3.99/site-packages/*.pth`),
    ).toEqual([
      ...["go/bin/tool-1", "cargo/bin/tool-2", "python-user/bin/tool-3", "npm-global/bin/tool-4"].map((name) =>
        join(scene.home, ".cache", name),
      ),
      "@team:registry=https://npm.example.com/",
      `import site; site.addsitedir("${join(scene.home, ".local/lib/python3.99/site-packages")}")`,
    ]);
    expect(existsSync(join(scene.home, ".cache"))).toBe(false);
  });
});

describe.skipIf(process.platform !== "linux")("the plan of a sandbox", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-plan-")));
  const home = join(base, "home");
  const workspace = join(home, "code/proj");
  const policy: Policy = { ...PRESETS.default, version: 1, workspaceRoot: workspace, home, sandbox: "workspace" };
  const kindOf = (name: string, extra: { readonly extraWritable?: readonly string[] } = {}) =>
    planSession(policy, { signalboxHome: join(home, ".signalbox"), privateHome: base, path: "", ...extra })
      .mounts.filter(({ path }) => path === join(workspace, name))
      .map(({ kind }) => kind);

  beforeAll(() => {
    mkdirSync(workspace, { recursive: true });
    layOut(home, workspace);
    writeFileSync(join(workspace, ".env.changed"), "a secret\n");
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  test("a secret stays hidden if it is not tracked, if it was changed, and if git cannot tell", () => {
    expect([".env.same", ".env.changed", ".env"].map((name) => kindOf(name))).toEqual([
      [],
      ["empty-file"],
      ["empty-file"],
    ]);
    const index = join(workspace, ".git/index");
    const content = readFileSync(index);
    writeFileSync(index, "broken");
    expect(kindOf(".env.same")).toEqual(["empty-file"]);
    writeFileSync(index, content);
    writeFileSync(join(workspace, ".git/objects/info/alternates"), "/elsewhere\n");
    expect(kindOf(".env.same")).toEqual(["empty-file"]);
  });

  test("git's settings are not mounted when they are lent, because git replaces the file", () => {
    expect([kindOf(".git/config"), kindOf(".git/config", { extraWritable: [join(workspace, ".git/config")] })]).toEqual(
      [["read-only"], []],
    );
  });

  test("a link that a command left in the private home does not lead our settings outside", async () => {
    const place = { signalboxHome: join(base, "own"), workspace, home, environment: {} };
    const { folder } = await openPrivateHome(place);
    const outside = join(base, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "rc"), "mine");
    rmSync(join(folder, ".gitconfig"));
    symlinkSync(join(outside, "rc"), join(folder, ".gitconfig"));
    rmSync(join(folder, ".config/pnpm"), { recursive: true });
    symlinkSync(outside, join(folder, ".config/pnpm"));
    rmSync(join(folder, ".npmrc"));
    mkdirSync(join(folder, ".npmrc"));
    await openPrivateHome(place);
    expect([readFileSync(join(outside, "rc"), "utf8"), readdirSync(outside)]).toEqual(["mine", ["rc"]]);
    expect(readFileSync(join(folder, ".gitconfig"), "utf8")).toContain("autosetupmerge");
  });
});
