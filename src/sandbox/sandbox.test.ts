import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import type { Policy } from "../contract/policy.ts";
import { PRESETS } from "../guard/presets/presets.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";
import { planSandbox } from "./plan-sandbox.ts";
import { registerSandbox, releaseSandbox } from "./release-sandbox.ts";
import { sandboxedArgv } from "./sandboxed-argv.ts";
import { sandboxWorks } from "./sandbox-works.ts";

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

/** Runs a script as a tool would, and returns its output. */
function run(script: string, changes: Partial<Policy> = {}): string {
  const plan = planSandbox(policy(changes), { bubblewrap, path: process.env["PATH"] });
  registerSandbox(plan);
  const [program = "", ...args] = sandboxedArgv(["bash", "-c", script], plan);
  const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 20_000 });
  const strays = releaseSandbox(plan);
  return [stdout, stderr, ...strays].join("");
}

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: workspace, stdio: "pipe" });

describe("without bubblewrap", () => {
  test("the proof says what is missing and what to do", async () => {
    expect(await sandboxWorks(workspace, () => undefined)).toEqual({
      works: false,
      because: "bubblewrap (bwrap) is not installed",
      fix: "install bubblewrap (apt install bubblewrap, dnf install bubblewrap), or set sandbox: off in the policy",
    });
    expect((await sandboxWorks(workspace, () => join(home, "gone"))).works).toBe(false);
  });

  test("a bubblewrap inside the workspace, or one that others can replace, is not taken", () => {
    writeFileSync(join(workspace, "bwrap"), "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(join(home, "bwrap"), "#!/bin/sh\n");
    chmodSync(join(home, "bwrap"), 0o777);
    expect([findBubblewrap("/", `${workspace}:${home}`), findBubblewrap(workspace, `${workspace}:${home}`)]).toEqual([
      undefined,
      bubblewrap === "" ? undefined : bubblewrap,
    ]);
  });

  test("a program that only claims to be bubblewrap proves nothing", async () => {
    const pretender = join(home, "bwrap");
    writeFileSync(pretender, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n', { mode: 0o755 });
    const proof = await sandboxWorks(workspace, () => pretender);
    expect(proof).toEqual({
      works: false,
      because: `${pretender} does not isolate commands: the test reached inside,outside,protected,absent,secret,network`,
      fix: "allow bwrap to create user namespaces on this machine, or set sandbox: off in the policy",
    });
  });

  test("the argv is a pure function of the plan", () => {
    const plan = {
      bubblewrap: "/b",
      workspace: "/w",
      network: "none",
      mounts: [{ kind: "writable", path: "/w" }],
      absent: [],
    } as const;
    expect(sandboxedArgv(["ls"], plan)).toEqual(
      "/b --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --new-session --cap-drop ALL --unshare-net --die-with-parent --ro-bind / / --dev /dev --proc /proc --ro-bind-try /proc/sys /proc/sys --ro-bind-try /proc/sysrq-trigger /proc/sysrq-trigger --ro-bind-try /proc/irq /proc/irq --ro-bind-try /proc/bus /proc/bus --ro-bind-try /proc/acpi /proc/acpi --ro-bind-try /proc/fs /proc/fs --ro-bind-try /proc/mtrr /proc/mtrr --tmpfs /run --tmpfs /var/tmp --tmpfs /tmp --bind /w /w --unsetenv SSH_AUTH_SOCK --unsetenv DBUS_SESSION_BUS_ADDRESS --unsetenv DOCKER_HOST --unsetenv WAYLAND_DISPLAY --unsetenv DISPLAY --setenv TMPDIR /tmp --chdir /w -- ls".split(
        " ",
      ),
    );
    const open = {
      ...plan,
      network: "shared",
      outlives: true,
      temporary: "/t",
      folder: "/w/sub",
      unset: ["A"],
    } as const;
    expect(sandboxedArgv(["ls"], open).join(" ")).toMatch(
      / --cap-drop ALL --ro-bind .* --bind \/t \/tmp .* --unsetenv A .* --chdir \/w\/sub -- ls$/,
    );
  });

  test("a workspace so wide that nothing would be held is refused", () => {
    expect(() => planSandbox(policy({ workspaceRoot: "/" }), { bubblewrap: "/b" })).toThrow("would protect nothing");
  });
});

describe.skipIf(bubblewrap === "")("with bubblewrap", () => {
  test("the proof holds on this machine", async () => {
    expect(await sandboxWorks(workspace)).toEqual({ works: true, bubblewrap });
  });

  test("the workspace can be written, nothing else can", () => {
    writeFileSync(join(home, "outside"), "as it was");
    run(`echo new > inside; echo new > ${home}/outside; echo new > ${home}/made`);
    expect([readFileSync(join(workspace, "inside"), "utf8"), readFileSync(join(home, "outside"), "utf8")]).toEqual([
      "new\n",
      "as it was",
    ]);
    expect(existsSync(join(home, "made"))).toBe(false);
  });

  test("a link in the workspace leads nowhere that can be written", () => {
    writeFileSync(join(home, "outside"), "as it was");
    symlinkSync(join(home, "outside"), join(workspace, "link"));
    run("echo new > link");
    expect(readFileSync(join(home, "outside"), "utf8")).toBe("as it was");
  });

  test("protected files stay, whatever is moved around them", () => {
    mkdirSync(join(workspace, ".github/workflows"), { recursive: true });
    writeFileSync(join(workspace, ".github/workflows/ci.yml"), "as it was");
    run(
      "echo new > .github/workflows/ci.yml; mv .github old; mkdir -p .github/workflows; echo new > .github/workflows/ci.yml; rm -rf .github; ln .github/workflows/ci.yml hard; echo new > hard",
    );
    expect(readFileSync(join(workspace, ".github/workflows/ci.yml"), "utf8")).toBe("as it was");
    expect(readdirSync(workspace)).not.toContain("old");
  });

  test("protected files that do not exist cannot be made, and nothing is left of their places", () => {
    run(
      "echo new > .mcp.json; mkdir -p .claude; chmod u+w .claude; echo new > .claude/settings.json; mkdir -p .vscode && echo new > .vscode/tasks.json; echo ok > plain",
    );
    expect(readdirSync(workspace)).toEqual(["plain"]);
  });

  test("secrets of the home folder and of the project cannot be read", () => {
    mkdirSync(join(home, ".ssh"));
    mkdirSync(join(workspace, "app"));
    for (const path of [join(home, ".ssh/key"), join(workspace, ".env"), join(workspace, "app/.env.local")])
      writeFileSync(path, "the secret");
    expect(run("cat ~/.ssh/key ../.ssh/key .env app/.env.local 2>&1")).not.toContain("the secret");
  });

  test("git works, its hooks and settings stay", () => {
    git("init", "-q");
    const settings = readFileSync(join(workspace, ".git/config"), "utf8");
    const output = run(
      `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
      echo x > file && git add file && git commit -qm first && echo committed
      echo evil > .git/hooks/pre-commit; git config core.fsmonitor ./evil; mv .git old
      echo ../evil > .git/commondir; echo evil > .git/config.worktree`,
    );
    expect(output).toContain("committed");
    expect(output).toContain(join(workspace, ".git/commondir") + join(workspace, ".git/config.worktree"));
    expect(readFileSync(join(workspace, ".git/config"), "utf8")).toBe(settings);
    expect(
      readdirSync(join(workspace, ".git")).filter((name) => name === "commondir" || name === "config.worktree"),
    ).toEqual([]);
    expect(existsSync(join(workspace, ".git/hooks/pre-commit"))).toBe(false);
    expect(git("log", "--format=%s").toString()).toBe("first\n");
  });

  test("a folder without a repository, or a repository without hooks, gets neither", () => {
    run("git init -q; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; echo ok > file");
    expect(readdirSync(workspace)).toEqual(["file"]);
    git("init", "-q", "--template=");
    run("mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit");
    expect(readdirSync(join(workspace, ".git"))).not.toContain("hooks");
  });

  test("git works in a linked worktree", () => {
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "first");
    git("worktree", "add", "-q", join(home, "linked"));
    const output = run(
      `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
      git commit -q --allow-empty -m second && echo committed; echo evil > ${workspace}/.git/hooks/post-commit; echo x > ${workspace}/file`,
      { workspaceRoot: join(home, "linked") },
    );
    expect(output).toContain("committed");
    expect(existsSync(join(workspace, ".git/hooks/post-commit"))).toBe(false);
    expect(readdirSync(workspace)).toEqual([".git"]);
  });

  test("without network nothing on this machine can be reached; with it, it can", async () => {
    const server = createServer((socket) => socket.end("served"));
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      }),
    );
    const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected`;
    const open = { network: { ...PRESETS.ci.network, mode: "any" } } as const;
    expect([
      run(script).includes("connected"),
      run(script, open).includes("connected"),
      run(script, { ...open, sandbox: "strict" }).includes("connected"),
    ]).toEqual([false, true, false]);
    server.close();
  });

  test("patterns of the policy hold, and what they lift stays open", () => {
    mkdirSync(join(workspace, "db/migrations"), { recursive: true });
    for (const name of ["db/migrations/1.sql", "db/note.lock", ".env.example"])
      writeFileSync(join(workspace, name), "as it was");
    const denyWrite = ["db/migrations/**", "**/*.lock", "later/**"];
    const output = run(
      "echo new > db/migrations/1.sql; echo new > db/note.lock; mv db old; mkdir later; echo new > db/free; cat .env.example",
      { paths: { ...PRESETS.ci.paths, denyWrite } },
    );
    expect(output).toContain("as it was");
    expect(
      ["db/migrations/1.sql", "db/note.lock", "db/free"].map((name) => readFileSync(join(workspace, name), "utf8")),
    ).toEqual(["as it was", "as it was", "new\n"]);
    expect(readdirSync(workspace).toSorted()).toEqual([".env.example", "db"]);
  });

  test("strict hides the home folder and keeps the repository as it is", () => {
    git("init", "-q");
    writeFileSync(join(home, "notes"), "private");
    const output = run(`cat ../notes 2>&1; git commit --allow-empty -m x 2>&1; echo ok > file; cat file`, {
      sandbox: "strict",
    });
    expect(output).not.toContain("private");
    expect(output).toContain("ok\n");
    expect(readdirSync(join(workspace, ".git/refs/heads"))).toEqual([]);
  });

  test("a policy without write roots leaves nothing to write", () => {
    run("echo new > file; mkdir folder", { paths: PRESETS["read-only"].paths });
    run("echo new > file; mkdir folder", { paths: { ...PRESETS.ci.paths, denyWrite: ["**"] } });
    run("echo new > file; mkdir folder", { paths: { ...PRESETS.ci.paths, denyWrite: ["."] } });
    expect(readdirSync(workspace)).toEqual([]);
  });

  test("settings of the kernel cannot be written, nor the mounts be taken away", () => {
    const output = run(
      `[ -w /proc/sys/kernel/hostname ] && echo WRITABLE; mkdir /sys/fs/cgroup/x 2>&1 && echo WRITABLE
      unshare -Urm sh -c 'umount .mcp.json && echo GONE; mount -o remount,rw,bind / && echo GONE' 2>&1; echo tried`,
    );
    expect([output.includes("WRITABLE"), output.includes("GONE"), output.includes("tried")]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("other processes cannot be seen or ended", () => {
    expect(run(`kill -0 ${process.pid} 2>&1; ls /proc | grep -c '^${process.pid}$'`)).toContain("0\n");
  });

  test("a plan that serves a whole launch is cleared up once at its end", () => {
    const plan = planSandbox(policy(), { bubblewrap });
    const [program = "", ...args] = sandboxedArgv(["bash", "-c", "echo x >> file; echo x > .mcp.json"], plan);
    for (const _ of [1, 2]) spawnSync(program, args, { timeout: 20_000 });
    expect(readdirSync(workspace)).toContain(".mcp.json");
    releaseSandbox(plan);
    expect(readdirSync(workspace)).toEqual(["file"]);
  });

  test("a place that another command still holds is not uncovered", () => {
    const plan = planSandbox(policy(), { bubblewrap });
    registerSandbox(plan);
    run("true");
    expect(plan.absent.filter((path) => !existsSync(path))).toEqual([]);
    releaseSandbox(plan);
    expect(readdirSync(workspace)).toEqual([]);
  });
});
