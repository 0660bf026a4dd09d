import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasSandbox, openScene, type SandboxScene } from "../../test/support/sandbox-scene.ts";
import { cleanEnvironment } from "../lib/process/dangerous-variables.ts";
import type { SandboxEvent } from "./linux/start-session.ts";

describe.skipIf(!hasSandbox)("the sandbox of a session", () => {
  let scene: SandboxScene;
  const events: SandboxEvent[] = [];

  beforeAll(async () => {
    scene = await openScene({
      door: true,
      ports: [4000],
      environment: {
        GITHUB_TOKEN: "a",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "color.ui",
        GIT_CONFIG_VALUE_0: "false",
        KEPT_TOKEN: "b",
        LD_PRELOAD: "",
        DISPLAY: ":0",
        PLAIN: "two\nlines",
        BASH_ENV: "/x",
      },
      policy: { passVariables: ["KEPT_TOKEN"] },
      onEvent: (event) => events.push(event),
      layOut(home, workspace) {
        mkdirSync(join(home, ".ssh"));
        writeFileSync(join(home, ".ssh/key"), "the secret");
        writeFileSync(
          join(home, ".gitconfig"),
          '[user]\n\tname = Ada \\"L\\"\n[credential]\n\thelper = store\n[alias]\n\tx = !evil\n',
        );
        mkdirSync(join(workspace, "sub"));
        writeFileSync(join(workspace, ".env"), "the secret");
      },
    });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test("a command ends as it would without a sandbox", () => {
    const lines = [
      "exit 7",
      "nosuch-program",
      "kill -9 $$",
      "kill -TERM $$",
      "true | false",
      "echo out; echo err >&2",
      "-x",
      "head -c 9 </dev/zero | wc -c",
    ];
    const inside = lines.map((line) => scene.run(line));
    expect(inside.slice(0, 6)).toEqual(
      lines
        .slice(0, 6)
        .map((line) => scene.bare(line))
        .map((result) => ({ ...result, output: result.output.replace(/^\/bin\//, "") })),
    );
    expect(inside.slice(6)).toEqual([
      { code: 127, signal: null, output: "bash: line 1: -x: command not found\n" },
      { code: 0, signal: null, output: "9\n" },
    ]);
  });

  test("input, working folder and a program without a shell come through", async () => {
    const megabyte = Buffer.alloc(1024 * 1024, "a");
    const [program = "", ...args] = scene.sandbox.argv(["printf", "%s,", "a b", "$HOME", ""]);
    const child = spawn(program, args, { cwd: scene.workspace, stdio: ["ignore", "pipe", "inherit"] });
    expect([
      scene.run("wc -c", { input: megabyte }).output.trim(),
      scene.run("pwd", { cwd: join(scene.workspace, "sub") }).output,
      scene.run("echo $# ${#A}", {
        env: { PATH: "/usr/bin:/bin", A: "x".repeat(120_000), B: "y".repeat(120_000), C: "z".repeat(120_000) },
      }).output,
      await text(child.stdout),
      scene.run("true", { cwd: "/sys" }).code,
      scene.run("true", { cwd: join(scene.home, ".ssh") }),
    ]).toEqual([
      String(megabyte.length),
      `${join(scene.workspace, "sub")}\n`,
      "0 120000\n",
      "a b,$HOME,,",
      0,
      {
        code: 126,
        signal: null,
        output: `signalbox: the sandbox does not show the folder ${join(scene.home, ".ssh")}\n`,
      },
    ]);
  });

  test("the environment is the cleaned one, with the door's variables", () => {
    const environment = Object.fromEntries(
      scene
        .run("env -0")
        .output.split("\0")
        .filter((entry) => entry !== "")
        .map((entry) => {
          const [name = "", ...value] = entry.split("=");
          return [name, value.join("=")];
        }),
    );
    const { HTTPS_PROXY = "", ...others } = environment;
    const id = /^http:\/\/([0-9a-f]{16}):x@127\.0\.0\.1:3128$/.exec(HTTPS_PROXY)?.[1] ?? "";
    expect(scene.sandbox.commandOf(id)).toEqual(undefined);
    expect([others["ALL_PROXY"], others["NO_PROXY"], others["HOME"], others["PLAIN"], others["KEPT_TOKEN"]]).toEqual([
      `http://${id}:x@127.0.0.1:3128`,
      "localhost,127.0.0.1,::1",
      scene.home,
      "two\nlines",
      "b",
    ]);
    const allowed = cleanEnvironment({ ...process.env, PLAIN: "" }, ["KEPT_TOKEN"]);
    const extra =
      "HOME TMPDIR SHELL CARGO_HOME GOBIN PYTHONUSERBASE PWD SHLVL _ OLDPWD KEPT_TOKEN NODE_USE_ENV_PROXY".split(" ");
    const unexpected = Object.keys(environment).filter(
      (name) => !(name in allowed) && !extra.includes(name) && !/_proxy$/i.test(name),
    );
    expect([
      unexpected,
      ["GITHUB_TOKEN", "DISPLAY", "LD_PRELOAD", "BASH_ENV", "GIT_CONFIG_COUNT"].filter((name) => name in environment),
    ]).toEqual([[], []]);
  });

  test("the launcher learns which command has which id, and serves ports inside", async () => {
    scene.sandbox.door?.once("connection", (socket) => socket.end("the door"));
    scene.sandbox.listeners.get(4000)?.once("connection", (socket) => socket.end("port 4000"));
    const line = "echo $http_proxy; for port in 3128 4000; do exec 3<>/dev/tcp/127.0.0.1/$port; cat <&3; echo; done";
    const child = spawn(scene.sandbox.program, [line], { cwd: scene.workspace, stdio: ["ignore", "pipe", "inherit"] });
    const [proxy = "", ...answers] = (await text(child.stdout)).split("\n");
    expect(answers).toEqual(["the door", "port 4000", ""]);
    const id = /\/\/(\w+):/.exec(proxy)?.[1] ?? "";
    expect(scene.sandbox.commandOf(id)).toEqual({ id, command: line, folder: scene.workspace });
    await expect
      .poll(() => events.filter((event) => event.type === "end" && event.id === id))
      .toEqual([{ type: "end", id, status: 0 }]);
  });

  test("commands share /tmp and processes, and what runs in the background lives on", async () => {
    scene.run("sleep 300 >/dev/null 2>&1 & echo $! > /tmp/pid");
    const second = scene.run('kill -0 "$(cat /tmp/pid)" && echo alive; ls /proc | grep -c "^[0-9]"');
    const count = Number(second.output.split("\n")[1]);
    expect([second.output.split("\n")[0], count < 10, existsSync("/tmp/pid")]).toEqual(["alive", true, false]);
  });

  test("the end of the client ends the command with all that is in its session", async () => {
    const child = spawn(scene.sandbox.program, ["(set -m; sleep 301 & sleep 302 & wait) & echo up; wait"], {
      cwd: scene.workspace,
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await expect.poll(() => scene.run("ps -eo args | grep '^sleep 30[12]'; true").output).toBe("");
    const graceful = spawn(
      scene.sandbox.program,
      ["trap 'echo term; exit 3' TERM; echo up; while :; do sleep 0.01; done"],
      { cwd: scene.workspace, stdio: ["ignore", "pipe", "ignore"] },
    );
    await once(graceful.stdout, "data");
    graceful.kill("SIGTERM");
    const [code]: unknown[] = await once(graceful, "exit");
    expect(code).toBe(3);
  });

  test("sixteen commands at once", async () => {
    const numbers = Array.from({ length: 16 }, (_, number) => String(number));
    const outputs = numbers.map(async (number) => {
      const child = spawn(scene.sandbox.program, [`cat; echo ${number}`], {
        cwd: scene.workspace,
        stdio: ["ignore", "pipe", "inherit"],
      });
      return (await text(child.stdout)).trim();
    });
    expect(await Promise.all(outputs)).toEqual(numbers);
  });

  test("git has the user's name and nothing that runs a program", () => {
    expect(scene.run("git config --global --list").output).toBe('user.name=Ada "L"\nbranch.autosetupmerge=false\n');
  });

  test("a protected path that is missing leaves no trace, and cannot be made", async () => {
    const before = readdirSync(scene.workspace);
    const { output } = scene.run(
      `ls -A; echo evil > .mcp.json; mkdir -p .claude; echo evil > .claude/settings.json
      mkdir -p x/workflows; echo evil > x/workflows/ci.yml; mv x .github; ln -s sub .vscode; mkdir -p .idea; echo fine > .idea/name; true`,
    );
    expect(output.split("\n").filter((line) => before.includes(line))).toEqual(before);
    await expect
      .poll(() => readdirSync(scene.workspace).toSorted())
      .toEqual([...before, ".github", ".idea"].toSorted());
    expect([
      readdirSync(join(scene.workspace, ".github")),
      readFileSync(join(scene.workspace, ".idea/name"), "utf8"),
    ]).toEqual([[], "fine\n"]);
    await expect
      .poll(() =>
        readdirSync(scene.sandbox.kept)
          .map((name) => name.replace(/^[0-9a-f]{32}-/, ""))
          .toSorted(),
      )
      .toContain(".mcp.json");
    await expect
      .poll(() => events.flatMap((event) => (event.type === "removed" ? [event.path] : [])))
      .toContain(join(scene.workspace, ".mcp.json"));
  });

  test("rubbish on the socket ends the connection, not the session", async () => {
    const folder = openSync(join(scene.sandbox.program, ".."), "r");
    for (const rubbish of [
      "",
      "GET / HTTP/1.0\r\n\r\n",
      Buffer.alloc(16, 255),
      Buffer.concat([Buffer.from("SBX1"), Buffer.alloc(12)]),
    ]) {
      const socket = connect(`/proc/self/fd/${folder}/socket`);
      socket.end(rubbish);
      socket.on("error", () => undefined).resume();
      await new Promise((resolve) => socket.on("close", resolve));
    }
    expect(scene.run("echo still here").output).toBe("still here\n");
  });
});

describe.skipIf(!hasSandbox)("a session of its own", () => {
  test("leaves alone what somebody outside creates; at its end everything inside ends, and nothing is left", async () => {
    const events: SandboxEvent[] = [];
    const scene = await openScene({ onEvent: (event) => events.push(event) });
    const created = join(scene.workspace, ".travis.yml");
    writeFileSync(created, "mine");
    await expect.poll(() => events).toEqual([{ type: "appeared", path: created }]);
    const line = "setsid sleep 300 & nohup sleep 300 >/dev/null & echo up; sleep 300";
    const child = spawn(scene.sandbox.program, [line], { cwd: scene.workspace, stdio: ["ignore", "pipe", "pipe"] });
    await once(child.stdout, "data");
    const said = text(child.stderr);
    const exited = once(child, "exit");
    await scene.sandbox[Symbol.asyncDispose]();
    const [code]: unknown[] = await exited;
    expect([code, await said]).toEqual([125, "signalbox: the sandbox of this session has ended\n"]);
    expect([readdirSync(join(scene.home, ".signalbox/s")), readFileSync(created, "utf8")]).toEqual([[], "mine"]);
    await scene[Symbol.asyncDispose]();
  });
});
