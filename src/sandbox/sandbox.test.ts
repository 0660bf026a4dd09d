import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { hasSandbox } from "../../test/support/sandbox-scene.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import type { Policy } from "../contract/policy.ts";
import { PRESETS } from "../guard/presets/presets.ts";
import { findBubblewrap } from "./prove-sandbox.ts";
import { helperProgram } from "../lib/path/package-folder.ts";
import { planSession } from "./session/session-plan.ts";
import { type RunningSandbox, startSandbox } from "./linux/session-sandbox.ts";

const bubblewrap = findBubblewrap("/nowhere") ?? "";

let home = "";
let workspace = "";

beforeEach(() => {
  home = tempFolder();
  workspace = join(home, "work");
  mkdirSync(workspace);
});

const policy = (changes: Partial<Policy> = {}): Policy => ({
  ...PRESETS.ci,
  version: 1,
  workspaceRoot: workspace,
  home,
  sandbox: "workspace",
  ...changes,
});

/** Without the trial, which prove-sandbox.test.ts tests. `false`: without the helper, as on a system that has none. */
const start = (changes: Partial<Policy> = {}, withHelper = true): Promise<RunningSandbox> =>
  startSandbox(
    policy(changes),
    { environment: { ...process.env, HOME: home }, signalboxHome: join(home, ".signalbox") },
    { bubblewrap, helper: withHelper ? helperProgram() : undefined, closesUserNamespaces: false },
  );

/** Runs a script as a tool would, and returns its output. */
const runIn = ({ program }: RunningSandbox, script: string, cwd = workspace): string => {
  const { stdout, stderr } = spawnSync(program, [script], {
    cwd,
    env: { ...process.env, HOME: home },
    encoding: "utf8",
    timeout: 20_000,
  });
  return stdout + stderr;
};

/** Runs a script in a sandbox of its own. */
async function run(script: string, changes: Partial<Policy> = {}): Promise<string> {
  await using sandbox = await start(changes);
  return runIn(sandbox, script, changes.workspaceRoot);
}

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: workspace, stdio: "pipe" });

describe("without bubblewrap", () => {
  test("a bubblewrap inside the workspace, or one that others can replace, is not taken", () => {
    writeFileSync(join(workspace, "bwrap"), "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(join(home, "bwrap"), "#!/bin/sh\n");
    chmodSync(join(home, "bwrap"), 0o777);
    expect([findBubblewrap("/", `${workspace}:${home}`), findBubblewrap(workspace, `${workspace}:${home}`)]).toEqual([
      undefined,
      bubblewrap === "" ? undefined : bubblewrap,
    ]);
  });

  test("a workspace or a write root so wide that nothing would be held is refused", () => {
    const plan = (changes: Partial<Policy>) => () =>
      planSession(policy(changes), { signalboxHome: join(home, ".signalbox"), privateHome: undefined, path: "" });
    expect(plan({ workspaceRoot: "/" })).toThrow("would protect nothing");
    expect(plan({ paths: { ...PRESETS.ci.paths, writeRoots: [".", "/"] } })).toThrow("would protect nothing");
    expect(plan({ workspaceRoot: home })).toThrow("cannot hide your home folder");
  });

  test("signalbox's own folder is hidden wherever it is, and refused where commands could write it", () => {
    const plan = (signalboxHome: string, changes: Partial<Policy> = {}) =>
      planSession(policy(changes), { signalboxHome, privateHome: undefined, path: "" }).mounts;
    const hiding = { kind: "between", path: "/opt/signalbox" };
    const mounts = plan("/opt/signalbox");
    expect(mounts).toContainEqual(hiding);
    const at = (path: string) => mounts.findIndex((mount) => mount.path === path);
    expect(at("/opt/signalbox"), "before the workspace, which may be inside it").toBeLessThan(at(workspace));
    expect(plan(join(home, ".signalbox")).filter(({ kind }) => kind === "between")).toEqual([]);
    expect(() => plan(join(workspace, ".signalbox"))).toThrow("inside a folder that commands can write");
    const shared = tempFolder();
    const paths = { ...PRESETS.ci.paths, writeRoots: [".", shared] };
    expect(() => plan(join(shared, "signalbox"), { paths })).toThrow("inside a folder that commands can write");
  });
});

describe.skipIf(!hasSandbox)("with bubblewrap", () => {
  test("the workspace can be written, nothing else can", async () => {
    writeFileSync(join(home, "outside"), "as it was");
    await run(`echo new > inside; echo new > ${home}/outside; echo new > ${home}/made`);
    expect([readFileSync(join(workspace, "inside"), "utf8"), readFileSync(join(home, "outside"), "utf8")]).toEqual([
      "new\n",
      "as it was",
    ]);
    expect(existsSync(join(home, "made"))).toBe(false);
  });

  test("a link in the workspace leads nowhere that can be written", async () => {
    writeFileSync(join(home, "outside"), "as it was");
    symlinkSync(join(home, "outside"), join(workspace, "link"));
    await run("echo new > link");
    expect(readFileSync(join(home, "outside"), "utf8")).toBe("as it was");
  });

  test("protected files stay, whatever is moved around them", async () => {
    mkdirSync(join(workspace, ".github/workflows"), { recursive: true });
    writeFileSync(join(workspace, ".github/workflows/ci.yml"), "as it was");
    await run(
      "echo new > .github/workflows/ci.yml; mv .github old; mkdir -p .github/workflows; echo new > .github/workflows/ci.yml; rm -rf .github; ln .github/workflows/ci.yml hard; echo new > hard",
    );
    expect(readFileSync(join(workspace, ".github/workflows/ci.yml"), "utf8")).toBe("as it was");
    expect(readdirSync(workspace)).not.toContain("old");
  });

  test("protected files that do not exist cannot be made, and nothing is left of them", async () => {
    await using sandbox = await start();
    runIn(
      sandbox,
      "echo new > .mcp.json; mkdir -p .claude; chmod u+w .claude; echo new > .claude/settings.json; mkdir -p .vscode && echo new > .vscode/tasks.json; echo ok > plain",
    );
    await expect.poll(() => readdirSync(workspace)).toEqual([".vscode", "plain"]);
    await expect.poll(() => readdirSync(join(workspace, ".vscode"))).toEqual([]);
  });

  test("secrets of the home folder and of the project cannot be read", async () => {
    mkdirSync(join(home, ".ssh"));
    mkdirSync(join(workspace, "app"));
    for (const path of [join(home, ".ssh/key"), join(workspace, ".env"), join(workspace, "app/.env.local")])
      writeFileSync(path, "the secret");
    expect(await run("cat ~/.ssh/key ../.ssh/key .env app/.env.local 2>&1")).not.toContain("the secret");
  });

  test("credentials among the tools of the home folder cannot be read", async () => {
    const files = [".local/share/uv/credentials/a", ".dotnet/corefx/cryptography/a", ".npm-global/etc/npmrc"];
    for (const path of [...files, ".local/share/uv/tools/a"]) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), "content");
    }
    mkdirSync(join(home, ".cargo"));
    writeFileSync(join(home, ".cargo/config.toml"), '[registry]\ntoken = "content"\n');
    const output = await run(`cd; cat ${files.join(" ")} .cargo/config.toml 2>/dev/null; cat .local/share/uv/tools/a`);
    expect(output).toBe("content");
  });

  test("no program can be left that others would run with the rights of the user", async () => {
    const creating = `python3 -c 'import os
for call in (lambda: os.close(os.open("b", os.O_CREAT | os.O_WRONLY, 0o4755)), lambda: os.mknod("c", 0o104755), lambda: os.chmod("a", 0o4755)):
  try: call(); print("made")
  except PermissionError: print("refused")'`;
    const output = await run(
      `cp /bin/sh a; chmod u+s a; chmod 6755 a; mkdir d; chmod 755 a d && ${creating}; umask 0; touch e`,
    );
    expect(output.split("\n").filter((line) => /^(?:made|refused)/.test(line))).toEqual([
      "refused",
      "refused",
      "refused",
    ]);
    expect(readdirSync(workspace).map((name) => [name, statSync(join(workspace, name)).mode & 0o7000])).toEqual([
      ["a", 0],
      ["d", 0],
      ["e", 0],
    ]);
  });

  test("a file that is given to a command to be read cannot be written through its descriptor", async () => {
    await using sandbox = await start();
    const given = join(home, "given");
    writeFileSync(given, "as it was");
    const file = openSync(given, "r");
    const script = "cat; (echo changed >/proc/self/fd/0) 2>/dev/null; true";
    const { stdout } = spawnSync(sandbox.program, [script], { cwd: workspace, stdio: [file, "pipe", "pipe"] });
    closeSync(file);
    expect([String(stdout), readFileSync(given, "utf8")]).toEqual(["as it was", "as it was"]);
  });

  test("git works, its hooks and settings stay", async () => {
    git("init", "-q");
    const settings = readFileSync(join(workspace, ".git/config"), "utf8");
    await using sandbox = await start();
    const output = runIn(
      sandbox,
      `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
      echo x > file && git add file && git commit -qm first && echo committed
      echo evil > .git/hooks/pre-commit; git config core.fsmonitor ./evil; mv .git old
      echo ../evil > .git/commondir; echo evil > .git/config.worktree`,
    );
    expect(output).toContain("committed");
    expect(output.match(/(?:pre-commit|commondir|config\.worktree): Read-only file system/g)?.length).toBe(3);
    await sandbox[Symbol.asyncDispose]();
    expect(readdirSync(join(workspace, ".git")).filter((name) => /^co.*d|worktree/.test(name))).toEqual([]);
    expect(readFileSync(join(workspace, ".git/config"), "utf8")).toBe(settings);
    expect(existsSync(join(workspace, ".git/hooks/pre-commit"))).toBe(false);
    expect(git("log", "--format=%s").toString()).toBe("first\n");
  });

  test("a folder without a repository, or a repository without hooks, gets neither", async () => {
    await using none = await start();
    runIn(none, "git init -q; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; echo ok > file");
    await expect.poll(() => readdirSync(workspace)).toEqual(["file"]);
    await none[Symbol.asyncDispose]();
    git("init", "-q", "--template=");
    await using bare = await start();
    runIn(bare, "mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit");
    await expect
      .poll(() => readdirSync(join(workspace, ".git")).filter((name) => name.startsWith("hooks")))
      .toEqual([]);
  });

  test("git works in a linked worktree", async () => {
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "first");
    git("worktree", "add", "-q", join(home, "linked"));
    const output = await run(
      `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
      git commit -q --allow-empty -m second && echo committed; echo evil > ${workspace}/.git/hooks/post-commit; echo x > ${workspace}/file`,
      { workspaceRoot: join(home, "linked") },
    );
    expect(output).toContain("committed");
    expect(existsSync(join(workspace, ".git/hooks/post-commit"))).toBe(false);
    expect(readdirSync(workspace)).toEqual([".git"]);
  });

  // What the network door lets through is tested in door/.
  test("nothing on this machine can be reached directly, whatever the policy says", async () => {
    const server = createServer((socket) => socket.end("served"));
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      }),
    );
    const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected`;
    const open = { network: { ...PRESETS.ci.network, mode: "any" } } as const;
    const outputs = [await run(script), await run(script, open), await run(script, { ...open, sandbox: "strict" })];
    expect(spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout).toBe("connected\n");
    expect(outputs.map((output) => [output.includes("connected"), output.includes("refused")])).toEqual(
      outputs.map(() => [false, true]),
    );
    server.close();
  });

  test("patterns of the policy hold, and what they lift stays open", async () => {
    mkdirSync(join(workspace, "db/migrations"), { recursive: true });
    for (const name of ["db/migrations/1.sql", "db/note.lock", ".env.example"])
      writeFileSync(join(workspace, name), "as it was");
    const denyWrite = ["db/migrations/**", "**/*.lock", "later/**"];
    await using sandbox = await start({ paths: { ...PRESETS.ci.paths, denyWrite } });
    const output = runIn(
      sandbox,
      "echo new > db/migrations/1.sql; echo new > db/note.lock; mv db old; mkdir later; echo new > db/free; cat .env.example",
    );
    expect(output).toContain("as it was");
    expect(
      ["db/migrations/1.sql", "db/note.lock", "db/free"].map((name) => readFileSync(join(workspace, name), "utf8")),
    ).toEqual(["as it was", "as it was", "new\n"]);
    await expect.poll(() => readdirSync(workspace).toSorted()).toEqual([".env.example", "db"]);
  });

  test("strict hides the home folder and keeps the repository as it is", async () => {
    git("init", "-q");
    writeFileSync(join(home, "notes"), "private");
    const output = await run(`cat ../notes 2>&1; git commit --allow-empty -m x 2>&1; echo ok > file; cat file`, {
      sandbox: "strict",
    });
    expect(output).not.toContain("private");
    expect(output).toContain("ok\n");
    expect(readdirSync(join(workspace, ".git/refs/heads"))).toEqual([]);
  });

  test("a policy without write roots leaves nothing to write", async () => {
    await run("echo new > file; mkdir folder", { paths: PRESETS["read-only"].paths });
    await run("echo new > file; mkdir folder", { paths: { ...PRESETS.ci.paths, denyWrite: ["**"] } });
    await run("echo new > file; mkdir folder", { paths: { ...PRESETS.ci.paths, denyWrite: ["."] } });
    expect(readdirSync(workspace)).toEqual([]);
  });

  test("settings of the kernel cannot be written, nor the mounts be taken away", async () => {
    const output = await run(
      `[ -w /proc/sys/kernel/hostname ] && echo WRITABLE; mkdir /sys/fs/cgroup/x 2>&1 && echo WRITABLE
      unshare -Urm sh -c 'umount .mcp.json && echo GONE; mount -o remount,rw,bind / && echo GONE' 2>&1; echo tried`,
    );
    expect([output.includes("WRITABLE"), output.includes("GONE"), output.includes("tried")]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("other processes cannot be seen or ended", async () => {
    expect(await run(`kill -0 ${process.pid} 2>&1; ls /proc | grep -c '^${process.pid}$'`)).toContain("0\n");
  });

  test("without the helper, the places of missing files are covered, and uncovered when nobody needs them", async () => {
    git("init", "-q");
    rmSync(join(workspace, ".git/hooks"), { recursive: true });
    await using first = await start({}, false);
    await using second = await start({}, false);
    for (const sandbox of [first, second])
      runIn(
        sandbox,
        "echo x >> file; echo x > .mcp.json; mkdir .git/hooks/x; echo ../evil > .git/commondir; echo x > .claude/x",
      );
    const covered = first.plan.placeholders.filter((path) => existsSync(path));
    expect(covered).toEqual(
      expect.arrayContaining([".mcp.json", ".claude", ".git/hooks"].map((name) => join(workspace, name))),
    );
    await first[Symbol.asyncDispose]();
    expect(covered.filter((path) => !existsSync(path))).toEqual([]);
    await second[Symbol.asyncDispose]();
    expect(readdirSync(workspace)).toEqual([".git", "file"]);
    expect(readdirSync(join(workspace, ".git")).filter((name) => /hooks|commondir/.test(name))).toEqual([]);
    expect(readFileSync(join(workspace, "file"), "utf8")).toBe("x\nx\n");
  });
});
