import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { signalbox } from "../../test/support/run-signalbox.ts";
import { hasSandbox, openScene } from "../../test/support/sandbox-scene.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import type { Policy } from "../contract/policy.ts";
import { PRESETS } from "../guard/presets/presets.ts";
import { openSessionSandbox } from "./open-session-sandbox.ts";
import { holdFolder } from "./session/held-folder.ts";

/** `W`: the workspace, `M`: a file that only a program outside can make, `EVIL`: settings of git that make it. */
interface Attack {
  /** The command of a session before. */
  readonly before?: string;
  /** The command of a session. */
  readonly session: string;
  /** Outside, afterwards. */
  readonly after: string;
}

const HEADLESS = `mkdir -p x/objects x/refs; echo ref: refs/heads/main >HEAD; echo x >commondir
  printf '[core]\\nrepositoryformatversion = 1\\nfsmonitor = "touch %s"\\n[extensions]\\nworktreeConfig = true\\n' $M >x/config
  printf '[core]\\nbare = false\\nworktree = %s\\n' $W >config.worktree`;
const EVIL = `printf '[core]\\nfsmonitor = "touch %s"\\n' $M`;
const IN_PRIVATE_HOME = `git init -q ~/evil; ${EVIL} >>~/evil/.git/config; mkdir -p sub
  p=$(awk '$5==ENVIRON["HOME"]{print $4}' /proc/self/mountinfo)`;
const DEEP = `n=$(printf 'a%.0s' {1..200}); mkdir z; cd z
  while [ $((\${#PWD}+202)) -lt 4070 ]; do mkdir $n; cd $n; done
  m=$(printf 'b%.0s' $(seq $((4077-\${#PWD})))); mkdir $m; cd $m`;

const ATTACKS: Readonly<Record<string, Attack>> = {
  "the workspace as a bare repository": { session: `mv .git/HEAD .git/old; ${HEADLESS}`, after: "git status" },
  "a bare repository with only HEAD and commondir": {
    session: `mkdir -p d/e; cd d/e; ${HEADLESS.replaceAll("$W", "$W/d/e")}`,
    after: "cd d/e; git status",
  },
  "a repository in a folder whose name is no UTF-8": {
    session: `d=$(printf 'sub\\377'); git init -q "$d"; ${EVIL} >>"$d/.git/config"`,
    after: `cd "$(printf 'sub\\377')"; git status`,
  },
  "a link into the private home": {
    session: `${IN_PRIVATE_HOME}; ln -s $p/evil/.git sub/.git`,
    after: "cd sub; git status",
  },
  "a long file in the place of .git": {
    session: `${IN_PRIVATE_HOME}; (echo gitdir: $p/evil/.git; yes '' | head -5000) >sub/.git`,
    after: "cd sub; git status",
  },
  "a name that ends with a blank": {
    session: `git init -q s; mv s/.git 'y '; mkdir -p 'g /objects' 'g /refs'; rm -r 'y /objects' 'y /refs'
      echo '../g ' >'y /commondir'; ${EVIL} >'g /config'; echo 'gitdir: ../y ' >s/.git; mkdir y; cp -r 'y /HEAD' y`,
    after: "cd s; git status",
  },
  "a repository in a folder that is called .GIT": {
    session: `git init -q .GIT/sub; ${EVIL} >>.GIT/sub/.git/config`,
    after: "cd .GIT/sub; git status",
  },
  "a repository in a folder that is called .git": {
    session: `git init -q v/.git/sub; ${EVIL} >>v/.git/sub/.git/config`,
    after: "cd v/.git/sub; git status",
  },
  "a repository that is as deep as a path can be": {
    session: `git init -q t; ${EVIL} >>t/.git/config; ${DEEP}; mv $W/t/.git .`,
    after: "cd z; while [ -d a* ]; do cd a*; done; cd b*; git status; rm -rf $W/z",
  },
  "a repository beside a deep one": {
    session: `git init -q t; ${EVIL} >>t/.git/config; ${DEEP}; mkdir .git; touch .git/config`,
    after: "cd t; git status; rm -rf $W/z",
  },
  "an older folder, to which a second session leads git": {
    before: `${IN_PRIVATE_HOME}; mkdir ~/g ~/x; cp -r ~/evil/.git/{HEAD,refs,objects} ~/g; cp -r ~/evil/.git/{refs,objects} ~/x
      printf '[core]\\nrepositoryformatversion = 0\\nbare = false\\nfsmonitor = "touch %s"\\n' $M >~/x/config
      echo "gitdir: $p/g" >sub/.git`,
    session: `echo ../x >~/g/commondir; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub`,
    after: "git status; cd sub; git status",
  },
  "links among the records of a repository in the private home": {
    session: `${IN_PRIVATE_HOME}; echo gitdir: $p/evil/.git >sub/.git; ln -s $W/../.bashrc ~/evil/.git/COMMIT_EDITMSG
      : >~/evil/.git/config; echo touch $M >~/evil/.git/MERGE_MSG`,
    after: "cd sub; GIT_EDITOR=true git commit --allow-empty; . ~/.bashrc",
  },
  "a remote in git's old form": {
    session: `git init -q --bare ~/r.git; printf '#!/bin/sh\\ntouch %s\\n' $M >~/r.git/hooks/pre-receive; chmod +x ~/r.git/hooks/*
      p=$(awk '$5==ENVIRON["HOME"]{print $4}' /proc/self/mountinfo); mkdir .git/remotes .git/branches
      printf 'URL: %s/r.git\\nPush: refs/heads/main:refs/heads/main\\n' $p >.git/remotes/origin; echo $p/r.git >.git/branches/other`,
    after: "git push; git push other main",
  },
  "a log of git that is a link to a start file": {
    session: `git checkout -qb 'x$(touch\${IFS}'$M')'; rm .git/logs/HEAD; ln -s ../../../.bashrc .git/logs/HEAD`,
    after: "git checkout -q main; . ~/.bashrc",
  },
  "a commit message that is a link to a start file": {
    session: `ln -sf ../../.bashrc .git/COMMIT_EDITMSG; echo touch $M >.git/MERGE_MSG; echo 2 >>file; git add file`,
    after: "GIT_EDITOR=true git commit; . ~/.bashrc",
  },
  "a commit message of a new repository that is a link to a start file": {
    session: `git init -q sub; cd sub; ln -s ../../../.bashrc .git/COMMIT_EDITMSG; echo touch $M >.git/MERGE_MSG`,
    after: "cd sub; GIT_EDITOR=true git commit --allow-empty; . ~/.bashrc",
  },
};

const GIT_USER = "git config --global user.email a@b; git config --global user.name a";
function layOut(_: string, workspace: string): void {
  spawnSync("git", ["init", "-q", "-b", "main", workspace]);
  writeFileSync(join(workspace, "file"), "1");
  spawnSync("git", ["add", "file"], { cwd: workspace });
  spawnSync("git", ["commit", "-qm", "1"], { cwd: workspace, env: { ...process.env, ...IDENTITY } });
}

const IDENTITY = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };

function lay() {
  const home = tempFolder();
  const workspace = join(home, "work");
  const marker = join(home, "evil-ran");
  mkdirSync(workspace);
  writeFileSync(join(home, ".bashrc"), "# mine\n");
  const env = { ...IDENTITY, HOME: home, W: workspace, M: marker };
  const outside = (line: string) =>
    spawnSync("bash", ["--norc", "-c", line], { cwd: workspace, env: { ...process.env, ...env } });
  outside("git init -qb main; echo 1 >file; git add file; git commit -qm 1");
  const words = (line: string) => `export W=${workspace} M=${marker}; ${line}`;
  const inside = (line: string) => signalbox(["sandbox", "--", "bash", "-c", words(line)], { cwd: workspace, env });
  return { home, workspace, marker, outside, inside };
}

test.skipIf(!hasSandbox).each(Object.entries(ATTACKS))("nothing runs outside later: %s", async (_, attack) => {
  const { home, marker, outside, inside } = lay();
  if (attack.before !== undefined) await inside(attack.before);
  await inside(attack.session);
  outside(attack.after);
  expect([existsSync(marker), readFileSync(join(home, ".bashrc"), "utf8")]).toEqual([false, "# mine\n"]);
});

describe.skipIf(!hasSandbox)("what was there before", () => {
  test("keeps its settings and hooks when a command works with it, however deep it is", async () => {
    const { workspace, inside } = lay();
    const deep = join(workspace, "a/b/c/d/e/f");
    mkdirSync(deep, { recursive: true });
    execFileSync("git", ["init", "-q"], { cwd: deep });
    execFileSync("git", ["config", "core.sshCommand", "ssh -i k"], { cwd: deep });
    writeFileSync(join(deep, ".git/hooks/pre-commit"), "#!/bin/sh\n", { mode: 0o755 });
    const { stderr } = await inside("cd a/b/c/d/e/f; touch x; git add x; git commit -qm 1");
    expect(stderr).not.toContain("signalbox");
    expect(readFileSync(join(deep, ".git/config"), "utf8")).toContain("ssh -i k");
    expect(existsSync(join(deep, ".git/hooks/pre-commit"))).toBe(true);
  });

  test("is not taken away when a command adds it to the index", async () => {
    const { workspace, outside, inside } = lay();
    outside("git init -q a/b/c/d/e/f; cd a/b/c/d/e/f; git commit -q --allow-empty -m 1");
    await inside("git add a 2>/dev/null");
    expect(existsSync(join(workspace, "a/b/c/d/e/f/.git"))).toBe(true);
  });
});

describe.skipIf(!hasSandbox)("the next start", () => {
  test("does not fail because of a session whose other root is gone, and whose files stand in for missing ones", async () => {
    const { home, workspace, inside } = lay();
    const left = join(home, ".signalbox/s/dead");
    await inside("true");
    mkdirSync(join(left, "kept"), { recursive: true });
    const standIn = join(workspace, ".git/commondir");
    const places = {
      since: "1",
      roots: [workspace, join(home, "gone/work")],
      writable: [],
      isListed: true,
      standIns: [standIn],
    };
    writeFileSync(join(left, "places.json"), JSON.stringify({ ...places, workspace, home }));
    utimesSync(left, 0, 0);
    for (let start = 0; start < 3; start++) {
      const { code, stderr } = await inside("true");
      expect([code, stderr]).toEqual([0, ""]);
    }
    expect(existsSync(left)).toBe(false);
  });
});

describe.skipIf(!hasSandbox)("what is said", () => {
  test("names dangerous files at the top first, and a plan of a new worktree", async () => {
    const { workspace, inside } = lay();
    const { stderr } =
      await inside(`mkdir -p a/b; touch a/b/.envrc a/.npmrc a/.envrc a/.yarnrc a/.exrc a/Jenkinsfile x.code-workspace Jenkinsfile
      git worktree add -q wt; mkdir .git/worktrees/wt/rebase-merge; echo exec true >.git/worktrees/wt/rebase-merge/git-rebase-todo`);
    const [first = "", second = ""] = /session: (.*)\. Look/.exec(stderr)?.[1]?.split(", ") ?? [];
    expect([first, second]).toEqual(["Jenkinsfile", "x.code-workspace"].map((name) => join(workspace, name)));
  });

  test("names what was found beside a rebase of 600 MB", async () => {
    const { workspace, inside } = lay();
    const { stderr } = await inside(
      `git init -q t; ${EVIL} >>t/.git/config; mkdir .git/rebase-merge; truncate -s 600M .git/rebase-merge/git-rebase-todo`,
    );
    for (const path of ["t/.git", ".git/rebase-merge/git-rebase-todo"]) expect(stderr).toContain(join(workspace, path));
  });

  test("the command that removes a link is the right one", async () => {
    const { workspace, inside, outside } = lay();
    const { stderr } = await inside(
      "mkdir n; cd n; git init -q sub; git -C sub commit -q --allow-empty -m 1; git add sub",
    );
    const [command = ""] = /git -C .*rm --cached \S+/.exec(stderr) ?? [];
    expect(command).toBe(`git -C '${join(workspace, "n")}' rm --cached 'sub'`);
    outside(command);
    expect(outside("git ls-files").stdout.toString()).toBe("file\n");
  });

  test("a path that could not be looked at is named, and the next start looks again", async () => {
    const { home, workspace, marker, outside, inside } = lay();
    const deep = "for (let i = 0; i < 2200; i++) { fs.mkdirSync('d'); process.chdir('d'); }";
    execFileSync(process.execPath, ["-e", deep], { cwd: workspace });
    const { stderr } = await inside(`git init -q sub; ${EVIL} >>sub/.git/config`);
    expect(stderr).toContain(`could not be looked at in ${workspace}/d/d/d`);
    outside("cd sub; git status");
    expect(existsSync(marker)).toBe(false);
    expect(readdirSync(join(home, ".signalbox/s"))).toHaveLength(1);
    outside("rm -rf d");
  });
});

describe.skipIf(!hasSandbox)("while a session runs", () => {
  test("what another session made and lost is not taken for yours", async () => {
    const scene = await openScene();
    const { home, workspace } = scene;
    const policy: Policy = { ...PRESETS.ci, version: 1, workspaceRoot: workspace, home, sandbox: "workspace" };
    const environment = { ...process.env, HOME: home };
    const other = await openSessionSandbox(policy, { signalboxHome: join(home, ".signalbox"), environment });
    if (!other.contained) throw new Error(other.containment.because);
    for (let round = 0; round < 5; round++) {
      spawnSync(other.program, ["for i in 1 2 3 4 5; do mkdir .mcp.json; sleep 0.05; done"], { cwd: workspace });
      scene.run("for i in 1 2 3; do echo 1 >.mcp.json; sleep 0.02; done");
      expect(existsSync(join(workspace, ".mcp.json"))).toBe(false);
    }
    await other[Symbol.asyncDispose]();
    await scene[Symbol.asyncDispose]();
  });

  /** Makes the file `sub` of an index a link to a repository, through another name, with no event in the index's folder. */
  const PATCH = `touch -d '1 hour ago' sub; git add sub; rm sub; git init -q sub; touch sub/made
patch() { n=$(grep -obUa sub $1 | head -1 | cut -d: -f1); ln $1 .git/refs/z
  printf '\\000\\000\\340\\000' | dd of=.git/refs/z bs=1 seek=$((n - 38)) conv=notrunc status=none; }`;
  test.each([
    ["the index", "patch .git/index"],
    ["the file that a split index shares", "git update-index --split-index; patch .git/sharedindex.*"],
  ])("a repository that is linked by another name of %s loses its .git before the command ends", async (_, line) => {
    const scene = await openScene({ layOut });
    const child = spawn(scene.sandbox.program, [`${GIT_USER}\n${PATCH}\n${line}\nsleep 60`], { cwd: scene.workspace });
    const has = (path: string) => existsSync(join(scene.workspace, path));
    await expect.poll(() => has("sub/made"), { timeout: 20_000 }).toBe(true);
    await expect.poll(() => has("sub/.git"), { timeout: 20_000 }).toBe(false);
    child.kill();
    await scene[Symbol.asyncDispose]();
  });

  test.each([
    [
      "folders as a whole",
      `printf '/*\\n!/*/\\n' >.git/info/sparse-checkout
       git -c core.sparseCheckout=true -c core.sparseCheckoutCone=true -c index.sparse=true read-tree -mu HEAD`,
    ],
    ["more bytes than git writes", "cp .git/index y; truncate -s 1100M y; mv y .git/index"],
    ["a link in its place", "mv .git/index .git/i; ln -s i .git/index"],
  ])("an index with %s is taken away, and named", async (_, line) => {
    const { workspace, outside, inside } = lay();
    outside("mkdir b; echo 1 >b/file; git add .; git commit -qm 2");
    const { stderr } = await inside(line);
    expect(stderr).toContain(`${workspace}/.git/index`);
    expect(existsSync(join(workspace, ".git/index"))).toBe(false);
  });

  test("git does not empty a folder that is linked among the records of worktrees", async () => {
    const scene = await openScene({ layOut });
    const precious = join(scene.home, "precious");
    mkdirSync(join(precious, "below"), { recursive: true });
    const lines = ["mkdir -p .git/worktrees", `ln -s ${precious} .git/worktrees/evil`, "touch made", "sleep 60"];
    const child = spawn(scene.sandbox.program, [lines.join("; ")], { cwd: scene.workspace });
    await expect.poll(() => existsSync(join(scene.workspace, "made")), { timeout: 20_000 }).toBe(true);
    const link = () => lstatSync(join(scene.workspace, ".git/worktrees/evil"), { throwIfNoEntry: false });
    await expect.poll(link, { timeout: 20_000 }).toBe(undefined);
    spawnSync("git", ["worktree", "prune"], { cwd: scene.workspace });
    expect(existsSync(join(precious, "below"))).toBe(true);
    child.kill();
    await scene[Symbol.asyncDispose]();
  });

  /** Puts an index with these entries in the place of git's for a moment. Both would be read for minutes, entry by entry. */
  const SLOW = (entries: string, extension: string) => `python3 - <<'PYTHON'
import os, shutil, struct, time
def entry(name, mode):
    start = struct.pack(">10I", 0, 0, 0, 0, 0, 0, mode, 0, 0, 0) + b"1" * 20 + struct.pack(">H", len(name)) + name
    return start + b"\\0" * (8 - len(start) % 8)
entries = ${entries}
extension = ${extension}
shutil.copy(".git/index", ".git/good")
open(".git/bad", "wb").write(b"DIRC" + struct.pack(">II", 2, len(entries)) + b"".join(entries) + extension + b"\\0" * 20)
os.rename(".git/bad", ".git/index"); time.sleep(0.5); os.rename(".git/good", ".git/index")
os.mkdir("made"); open("made/settings.json", "w").close(); os.rename("made", ".claude")
for _ in range(50):
    if not os.path.exists(".claude"): break
    time.sleep(0.1)
print(os.path.exists(".claude"))
PYTHON`;
  test.each([
    [
      "tells many times where its entries are",
      SLOW(
        '[entry(b"f%07d" % i, 0o100644) for i in range(20000)]',
        'b"IEOT" + struct.pack(">II", 4 + 8 * 400000, 1) + struct.pack(">II", 12, 20000) * 400000',
      ),
    ],
    [
      "has the last of many links a million times",
      SLOW('[entry(b"g%05d" % i, 0o160000) for i in range(7000)] + [entry(b"g06999", 0o160000)] * 1000000', 'b""'),
    ],
  ])("an index that %s does not keep what a command makes meanwhile", async (_, line) => {
    const { workspace, inside } = lay();
    const { stdout } = await inside(line);
    expect([stdout, existsSync(join(workspace, ".claude"))]).toEqual(["False\n", false]);
  });

  test("a folder that a sparse index has as a whole does not come back, and the others do", async () => {
    const { workspace, outside, inside } = lay();
    outside("mkdir a b; touch a/1 b/1; git add .; git commit -qm 2; git sparse-checkout set --cone --sparse-index a");
    await inside("git init -q b/sub; mkdir c; git add a file");
    expect(["a", "b", "c"].map((name) => existsSync(join(workspace, name)))).toEqual([true, false, true]);
    expect(existsSync(join(workspace, ".git/index"))).toBe(true);
  });

  test("a repository cannot be made at the top of another write root", async () => {
    const { home, workspace, inside } = lay();
    const root = join(home, "other");
    mkdirSync(root);
    mkdirSync(join(home, ".signalbox"));
    writeFileSync(join(home, ".signalbox/policy.yaml"), `version: 1\npaths:\n  write_roots: [".", "${root}"]\n`);
    const { stderr } = await inside(`cd ${root}; git init -q .; git init -q sub`);
    expect([existsSync(join(root, ".git")), existsSync(join(root, "sub/.git"))]).toEqual([false, true]);
    expect(stderr).toContain(`${root}/.git is protected`);
    expect(existsSync(join(workspace, ".git"))).toBe(true);
  });
});

describe("a folder that is held", () => {
  test("is not left by a link, whatever is put in its place", () => {
    const base = realpathSync(tempFolder());
    mkdirSync(join(base, "w/sub/.git"), { recursive: true });
    mkdirSync(join(base, "home"));
    writeFileSync(join(base, "home/config"), "mine");
    writeFileSync(join(base, "w/sub/.git/config"), "evil");
    using folder = holdFolder(join(base, "w/sub/.git"));
    renameSync(join(base, "w/sub"), join(base, "w/moved"));
    mkdirSync(join(base, "w/sub"));
    symlinkSync(join(base, "home"), join(base, "w/sub/.git"));
    expect(holdFolder(join(base, "w/sub/.git"))).toBeUndefined();
    expect(folder?.read("config", 100)?.toString()).toBe("evil");
    expect(folder?.moveAway("config", join(base, "kept"))).toBe(true);
    expect(readFileSync(join(base, "home/config"), "utf8")).toBe("mine");
    expect(existsSync(join(base, "w/moved/.git/config"))).toBe(false);
  });
});
