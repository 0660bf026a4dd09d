import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PRESETS } from "../../src/guard/presets/presets.ts";
import { randomId } from "../../src/lib/files/random-id.ts";
import { openSessionSandbox } from "../../src/sandbox/open-session-sandbox.ts";
import { hasSandbox, openScene } from "../support/sandbox-scene.ts";
import { tempFolder } from "../support/temp-folder.ts";

describe.skipIf(!hasSandbox)("places and circumstances", () => {
  const openAt = async (workspaceRoot: string, home: string) =>
    await openSessionSandbox(
      { ...PRESETS.ci, version: 1, workspaceRoot, home, sandbox: "auto" },
      { environment: process.env, signalboxHome: join(home, ".signalbox") },
    );

  test("a workspace that is the disk, the home, or holds the home is refused with a reason", async () => {
    const home = tempFolder();
    const outcomes = await Promise.all(["/", home, join(home, "..")].map((workspace) => openAt(workspace, home)));
    expect(outcomes.map((outcome) => (outcome.contained ? "contained" : outcome.containment.because))).toEqual([
      "a sandbox with / writable would protect nothing",
      "the sandbox cannot hide your home folder while it is the workspace",
      expect.stringMatching(/would protect nothing$/),
    ]);
  });

  test("a name with a space, a newline and quotes", async () => {
    await using scene = await openScene({ workspaceName: `a b\nc'd"e` });
    expect([
      scene.run("echo x > file; cat file; pwd").output,
      readFileSync(join(scene.workspace, "file"), "utf8"),
    ]).toEqual([`x\n${scene.workspace}\n`, "x\n"]);
  });

  test("100,000 files", async () => {
    await using scene = await openScene({
      layOut(_, workspace) {
        for (let folder = 0; folder < 100; folder++) mkdirSync(join(workspace, `f${folder}`));
        execFileSync("bash", ["-c", "for d in f*; do touch $d/{1..1000}; done; echo secret > f99/.env"], {
          cwd: workspace,
        });
      },
    });
    expect(scene.run("ls f99 | wc -l").output.trim()).toBe("1000");
  });

  test("the read-only preset leaves nothing to write, strict neither home nor repository", async () => {
    await using readOnly = await openScene({ policy: { paths: PRESETS["read-only"].paths } });
    const attempt = readOnly.run("echo x > file; echo y > /tmp/y && cat /tmp/y");
    expect([
      attempt.output.includes("Read-only file system"),
      attempt.output.startsWith("y\n"),
      readdirSync(readOnly.workspace),
    ]).toEqual([true, true, []]);
    await using strict = await openScene({
      policy: { sandbox: "strict" },
      layOut(home, workspace) {
        execFileSync("git", ["init", "-q", workspace]);
        mkdirSync(join(home, ".local/bin"), { recursive: true });
        writeFileSync(join(home, ".local/bin/tool"), "");
      },
    });
    const line =
      "ls -A ~; git -c user.name=a -c user.email=b commit -q --allow-empty -m x && echo committed; echo ok > file && cat file";
    expect(strict.run(line).output).toMatch(/^work\nok\n/);
  });

  test("tool folders are shown read-only, credentials beside them are not", async () => {
    await using scene = await openScene({
      layOut(home) {
        for (const folder of [".cargo/bin", ".local/bin", ".config/gh"])
          mkdirSync(join(home, folder), { recursive: true });
        writeFileSync(join(home, ".local/bin/tool"), "#!/bin/sh\necho tool runs\n", { mode: 0o755 });
        for (const file of [".cargo/credentials.toml", ".npmrc", ".config/gh/hosts.yml"])
          writeFileSync(join(home, file), "the secret");
      },
    });
    const { output } = scene.run(
      "~/.local/bin/tool; echo x > ~/.local/bin/evil; cat ~/.cargo/credentials.toml ~/.npmrc ~/.config/gh/hosts.yml; echo kept > ~/cache; cat ~/cache",
    );
    expect([
      output.includes("tool runs"),
      output.includes("the secret"),
      output.includes("kept"),
      existsSync(join(scene.home, ".local/bin/evil")),
      existsSync(join(scene.home, "cache")),
    ]).toEqual([true, false, true, false, false]);
  });

  test("a path lent to a sandbox is writable in that one alone", async () => {
    const lent = tempFolder();
    await using plain = await openScene();
    await using lending = await openScene({ extraWritable: [lent] });
    const line = `echo x >> ${lent}/file`;
    plain.run(line);
    expect(existsSync(join(lent, "file"))).toBe(false);
    lending.run(line);
    expect(readFileSync(join(lent, "file"), "utf8")).toBe("x\n");
  });

  test("two sessions in one workspace do not disturb each other", async () => {
    await using one = await openScene();
    const two = await openAt(one.workspace, one.home);
    if (!two.contained) throw new Error(two.containment.because);
    one.run("echo one > /tmp/mine; echo shared > file");
    const inTwo = execFileSync(two.program, ["cat file; [ ! -e /tmp/mine ]"], { cwd: one.workspace, encoding: "utf8" });
    await two[Symbol.asyncDispose]();
    expect([inTwo, one.run("cat /tmp/mine").output, readdirSync(one.workspace)]).toEqual([
      "shared\n",
      "one\n",
      ["file"],
    ]);
  });

  test("kill -9 of the launcher leaves no process, and the next session removes its folder", async () => {
    const home = tempFolder();
    const workspace = join(home, "work");
    mkdirSync(workspace);
    const mark = `3${Number.parseInt(randomId().slice(0, 7), 16)}`;
    const code = `
      import { spawnSync } from "node:child_process";
      import { openSessionSandbox } from ${JSON.stringify(join(import.meta.dirname, "../../src/sandbox/open-session-sandbox.ts"))};
      import { PRESETS } from ${JSON.stringify(join(import.meta.dirname, "../../src/guard/presets/presets.ts"))};
      const [workspaceRoot, home] = process.argv.slice(1);
      const policy = { ...PRESETS.ci, version: 1, workspaceRoot, home, sandbox: "workspace" };
      const sandbox = await openSessionSandbox(policy, { environment: process.env, signalboxHome: home + "/.signalbox" });
      spawnSync(sandbox.program, ["setsid nohup sleep ${mark} >/dev/null 2>&1 & sleep ${mark} >/dev/null 2>&1 & true"], { cwd: workspaceRoot });
      console.log("up");
      setInterval(() => {}, 1000);`;
    const launcher = spawn(process.execPath, ["--input-type=module", "-e", code, workspace, home], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(launcher.stdout, "data");
    try {
      await expect.poll(() => marked(mark), { timeout: 20_000 }).toBe(2);
    } finally {
      launcher.kill("SIGKILL");
    }
    await expect.poll(() => marked(mark), { timeout: 20_000 }).toBe(0);
    const folders = join(home, ".signalbox/s");
    const [left = ""] = readdirSync(folders);
    utimesSync(join(folders, left), 0, 0);
    const next = await openAt(workspace, home);
    await expect.poll(() => readdirSync(folders).includes(left)).toBe(false);
    await next[Symbol.asyncDispose]();
    expect(readdirSync(workspace)).toEqual([]);
  });
});

/** Processes of this machine that sleep for so long. */
function marked(seconds: string): number {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${seconds}\0`;
      } catch {
        return false;
      }
    }).length;
}
