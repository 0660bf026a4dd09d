import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import { hasSandbox } from "../../../test/support/sandbox-scene.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { Policy } from "../../contract/policy.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import { findProgram } from "../../lib/path/find-program.ts";
import { startTime } from "../../lib/process/process-table.ts";
import { openSessionSandbox } from "../open-session-sandbox.ts";
import { proveSandbox } from "../prove-sandbox.ts";
import { planSeatbelt, seatbeltScript, seatbeltVariables, startSeatbelt } from "./seatbelt-session.ts";
import { planSession } from "../session/session-plan.ts";
import { followCommands } from "./started-commands.ts";

/** Takes the arguments of sandbox-exec and holds nothing. */
const HOLDS_NOTHING = 'shift 3; exec "$@"';

function standIn(script: string): string {
  const file = join(tempFolder(), "sandbox-exec");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

function place() {
  const folder = realpathSync(tempFolder());
  const home = join(folder, "home");
  const workspace = join(home, "work");
  mkdirSync(workspace, { recursive: true });
  const policy: Policy = { ...PRESETS.ci, version: 1, workspaceRoot: workspace, home, sandbox: "workspace" };
  return { folder, home, workspace, policy, signalboxHome: join(home, ".signalbox") };
}

describe("the proof on macOS", () => {
  const prove = async (sandboxExec: string) => {
    const { policy, signalboxHome } = place();
    const { containment } = await proveSandbox(policy, { signalboxHome, platform: "darwin", sandboxExec });
    return containment.contained
      ? containment
      : `${containment.because}. ${containment.fix}`.replace(sandboxExec, "IT");
  };

  test("a program that holds nothing is not used, and only what Seatbelt can hold is asked of it", async () => {
    expect(await prove(standIn(HOLDS_NOTHING))).toBe(
      "IT does not isolate commands: the test reached outside, protected, absent, secret, network. set sandbox: off in the policy; see docs/sandbox.md",
    );
  });

  test("neither is a program that is missing, does not start, or runs nothing", async () => {
    expect([
      await prove("/nowhere/sandbox-exec"),
      await prove(standIn("echo 'sandbox-exec: sandbox_apply: Operation not permitted' >&2; exit 71")),
      await prove(standIn("exit 0")),
    ]).toEqual([
      "IT is missing, which is a part of macOS. set sandbox: off in the policy; see docs/sandbox.md",
      "IT does not start (sandbox-exec: sandbox_apply: Operation not permitted). start signalbox outside other sandboxes, or set sandbox: off in the policy; see docs/sandbox.md",
      "IT does not isolate commands: the test reached no inside, no temporary. set sandbox: off in the policy; see docs/sandbox.md",
    ]);
  });

  test.skipIf(!hasSandbox)("one that holds what the trial tries is used, for what it holds", async () => {
    const { folder, policy, signalboxHome } = place();
    const nothing = join(folder, "nothing");
    mkdirSync(nothing);
    const sandboxExec = standIn(`shift 3
set -- -- "$@"
[ ! -e .mcp.json ] || set -- --tmpfs "$PWD/../.ssh" --ro-bind .mcp.json "$PWD/.mcp.json" --ro-bind '${nothing}' "$PWD/.claude" "$@"
[ "$PWD" = / ] || set -- --bind "$PWD" "$PWD" "$@"
exec bwrap --ro-bind / / --dev /dev --bind "$TMPDIR" "$TMPDIR" --unshare-net "$@"`);
    const parts = {
      signalboxHome,
      platform: "darwin",
      sandboxExec,
      environment: { PATH: process.env["PATH"] },
    } as const;
    await using sandbox = await openSessionSandbox(policy, { ...parts, door: true });
    expect(sandbox.containment).toEqual({
      contained: true,
      form: "seatbelt",
      by: "seatbelt",
      held: ["disk", "secrets", "network"],
      provenAt: expect.any(String),
    });
    expect((await proveSandbox(policy, parts)).containment).toEqual(sandbox.containment);
  });
});

test("a session's view becomes roots, protected, missing and hidden paths of a profile", () => {
  const { home, workspace, policy, signalboxHome } = place();
  for (const path of [".ssh", ".nvm", "lent", "work/.git/hooks", "work/.claude"])
    mkdirSync(join(home, path), { recursive: true });
  for (const path of [".git/HEAD", ".git/config", ".env", ".mcp.json"]) writeFileSync(join(workspace, path), "");
  const privateHome = join(signalboxHome, "homes/x");
  const lent = { extraReadable: [join(home, ".ssh")], extraWritable: [join(home, "lent")] };
  const view = planSession(policy, { ...lent, signalboxHome, privateHome, path: "" });
  const ports = { doorPort: 4000, loopbackPorts: [] };
  const plan = planSeatbelt(view, { ...lent, ...ports, privateHome, temporary: "/t" });
  expect({ ...plan, protectedPaths: undefined }).toEqual({
    writeRoots: [workspace, privateHome],
    protectedPaths: undefined,
    reopenedPaths: [],
    hiddenPaths: expect.arrayContaining([join(workspace, ".env")]),
    hiddenFolders: [home],
    shownPaths: [join(home, ".nvm"), workspace],
    lent: { readable: [join(home, ".ssh")], writable: [join(home, "lent")] },
    temporary: "/t",
    ...ports,
  });
  const names = [".git/hooks", ".git/config", ".git/commondir", ".claude", ".mcp.json", ".vscode/settings.json"];
  expect(names.filter((name) => !plan.protectedPaths.includes(join(workspace, name)))).toEqual([]);
  expect(plan.protectedPaths).not.toContain(workspace);
});

test("a linked worktree's own records are opened again", () => {
  const mount = (kind: "read-only" | "writable", path: string) => ({ kind, path });
  const mounts = [
    mount("read-only", "/w"),
    mount("writable", "/w"),
    mount("read-only", "/w/.git"),
    mount("writable", "/m/.git"),
    mount("read-only", "/m/.git/worktrees"),
    mount("writable", "/m/.git/worktrees/w"),
    mount("read-only", "/m/.git/worktrees/w/gitdir"),
  ];
  const view = {
    workspace: "/w",
    home: "/u",
    roots: ["/w"],
    watched: [],
    links: [],
    repositories: [],
    indexes: [],
    standIns: [],
    placeholders: [],
    mounts,
  };
  const plan = planSeatbelt(view, { privateHome: "/p", temporary: "/t", doorPort: undefined, loopbackPorts: [] });
  expect([plan.writeRoots, plan.reopenedPaths, plan.protectedPaths]).toEqual([
    ["/w", "/m/.git", "/p"],
    ["/m/.git/worktrees/w"],
    ["/w/.git", "/m/.git/worktrees", "/m/.git/worktrees/w/gitdir"],
  ]);
});

test("commands get a home, a temporary folder and a door of their own, and no secrets or sockets", () => {
  const environment = {
    PATH: "/bin",
    HOME: "/u",
    TMPDIR: "/x",
    A_TOKEN: "1",
    B_TOKEN: "2",
    SSH_AUTH_SOCK: "/s",
    CLAUDE_CODE_MESSAGING_SOCKET: "/c",
    DYLD_INSERT_LIBRARIES: "/l",
  };
  const parts = { environment, passVariables: ["B_TOKEN"], home: "/p", temporary: "/t" };
  const fixed = {
    PATH: "/bin",
    B_TOKEN: "2",
    HOME: "/p",
    TMPDIR: "/t",
    SHELL: "/bin/bash",
    CARGO_HOME: "/p/.cache/cargo",
    GOBIN: "/p/.cache/go/bin",
    PYTHONUSERBASE: "/p/.cache/python-user",
  };
  expect(seatbeltVariables({ ...parts, doorPort: undefined })).toEqual(fixed);
  expect(seatbeltVariables({ ...parts, doorPort: 4000 })).toMatchObject({
    ...fixed,
    https_proxy: "http://session:x@127.0.0.1:4000",
    no_proxy: "localhost,127.0.0.1,::1",
  });
});

describe("the program of a session", () => {
  const script = (folder: string, sandboxExec: string) =>
    seatbeltScript({
      sandboxExec,
      profile: join(folder, "pro'file"),
      commands: folder,
      variables: { A: "it's $A", TMPDIR: "/t" },
    });

  const shells = ["dash", "bash", "busybox"].flatMap((name) => findProgram(name, process.env["PATH"] ?? "") ?? []);

  test.each(shells)("passes the profile and the command on, under %s", (shell) => {
    const folder = realpathSync(tempFolder());
    const file = join(folder, "program");
    const show =
      'printf "[%s]" "$@"; echo; env | grep -v ^_= | sort; for fd in 3 7 12; do [ -e /dev/fd/$fd ] && echo open $fd; done';
    writeFileSync(file, script(folder, standIn(show)), { mode: 0o700 });
    const sh = shell.endsWith("busybox") ? [shell, "sh", file] : [shell, file];
    const extra = Array.from({ length: 10 }, () => openSync("/dev/null", "r"));
    const run = (...args: readonly string[]) => {
      const stdio = ["ignore", "pipe", "pipe", ...extra] as const;
      const { stdout, stderr } = spawnSync(sh[0] ?? "", [...sh.slice(1), ...args], {
        cwd: folder,
        stdio: [...stdio],
        env: { B: "2" },
      });
      return `${String(stdout)}${String(stderr)}`.replaceAll(folder, "FOLDER");
    };
    const rest = "A=it's $A\nPWD=FOLDER\nTMPDIR=/t\n" + (shell.endsWith("bash") ? "" : "open 12\n");
    const inside = "[-f][FOLDER/pro'file][--]";
    expect([run("echo 'a b'; -c"), run("--", "-x", "a b"), run("--")]).toEqual([
      `${inside}[/bin/bash][--norc][--noprofile][-c][--][echo 'a b'; -c]\n${rest}`,
      `${inside}[-x][a b]\n${rest}`,
      `${inside}[/bin/bash][--norc][--noprofile][-c][--][--]\n${rest}`,
    ]);
    expect(readdirSync(folder).filter((name) => /^\d+$/.test(name))).toHaveLength(3);
  });

  test("runs nothing if it cannot be recorded", () => {
    const folder = tempFolder();
    const file = join(folder, "program");
    writeFileSync(file, script(join(folder, "gone"), standIn("echo ran")), { mode: 0o700 });
    const { status, stdout } = spawnSync(file, ["true"]);
    expect([status, String(stdout)]).not.toContain("ran\n");
    expect(status).not.toBe(0);
  });

  const shellcheck = findProgram("shellcheck", process.env["PATH"] ?? "");
  test.skipIf(shellcheck === undefined)("has no faults that shellcheck finds", () => {
    const { stdout } = spawnSync(shellcheck ?? "", ["-"], { input: script("/tmp/a b", "/usr/bin/sandbox-exec") });
    expect(String(stdout)).toBe("");
  });
});

test("a session has a profile with the door's port, and ends what commands left behind", async () => {
  const { home, workspace, policy, signalboxHome } = place();
  const environment = { PATH: process.env["PATH"], HOME: home };
  const parts = { environment, signalboxHome, door: true };
  const sandbox = await startSeatbelt(policy, parts, standIn(HOLDS_NOTHING));
  const address = sandbox.door?.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const profile = readFileSync(join(dirname(sandbox.program), "profile"), "utf8");
  expect(profile.split("\n").filter((line) => line.includes("remote ip"))).toEqual([
    `(allow network-outbound (remote ip "localhost:${port}"))`,
  ]);
  const line =
    'sleep 300 >&- 2>&- & env -i sleep 300 >&- 2>&- & jobs -p; echo "$HOME $TMPDIR $https_proxy $PWD"; echo x > "$TMPDIR/x"';
  const child = spawn(sandbox.program, [line], {
    cwd: workspace,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [first = "", second = "", shown] = (await text(child.stdout)).split("\n");
  const privateHome = join(signalboxHome, "homes", readdirSync(join(signalboxHome, "homes"))[0] ?? "");
  expect(shown).toBe(
    `${privateHome} ${join(dirname(sandbox.program), "tmp")} http://session:x@127.0.0.1:${port} ${workspace}`,
  );
  const pids = [Number(first), Number(second)];
  expect(pids.map((pid) => startTime(pid) === undefined)).toEqual([false, false]);
  await sandbox[Symbol.asyncDispose]();
  await vi.waitFor(() => expect(pids.map((pid) => startTime(pid))).toEqual([undefined, undefined]));
  expect([existsSync(sandbox.program), sandbox.door?.listening]).toEqual([false, false]);
});

test("an empty home under strict is discarded with the session", async () => {
  const { policy, signalboxHome } = place();
  const parts = { environment: { PATH: process.env["PATH"] }, signalboxHome };
  await using sandbox = await startSeatbelt({ ...policy, sandbox: "strict" }, parts, standIn(HOLDS_NOTHING));
  const { stdout } = spawnSync(sandbox.program, ['ls -A "$HOME"; echo "$HOME|$https_proxy"']);
  expect(String(stdout)).toBe(`${join(dirname(sandbox.program), "home")}|\n`);
});

test("commands that ended are forgotten, and those that run are ended", async () => {
  const folder = tempFolder();
  const child = spawn("sleep", ["300"]);
  const ended = once(child, "exit");
  const names = [String(spawnSync("true").pid), String(child.pid), "note"];
  for (const name of names) writeFileSync(join(folder, name), "");
  using commands = followCommands(folder, folder);
  commands.forgetEnded();
  expect(readdirSync(folder).toSorted()).toEqual(names.slice(1).toSorted());
  commands[Symbol.dispose]();
  expect(await ended).toEqual([null, "SIGKILL"]);
});
