import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../../test/support/platform.ts";
import { isAlive } from "../../../test/support/is-alive.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { Policy } from "../../contract/policy.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import { bash, readBash, stopBash } from "./bash.ts";
import { UNCONTAINED } from "../../sandbox/run/contained-commands.ts";
import { openCommandRunner } from "../../sandbox/run/command-runner.ts";

let workspace = "";
let outputFolder = "";

beforeEach(() => {
  workspace = tempFolder();
  outputFolder = tempFolder();
});

interface Settings {
  readonly environment?: Readonly<Record<string, string>>;
}

function open({ environment = {} }: Settings = {}) {
  const policy: Policy = { ...PRESETS.ci, version: 1, workspaceRoot: workspace, home: tempFolder() };
  const runner = openCommandRunner({
    policy,
    environment: { ...process.env, ...environment },
    outputFolder,
    marksFolder: tempFolder(),
    containment: UNCONTAINED,
  });
  onTestFinished(() => runner.close());
  const context = (signal: AbortSignal = new AbortController().signal) => ({
    callId: "1",
    signal,
    progress: () => {},
    emit: () => {},
  });
  const tool = bash({ runner, workspace, takeNotes: UNCONTAINED.takeNotes });
  return {
    runner,
    run: (command: string, more: Record<string, unknown> = {}, signal?: AbortSignal) =>
      tool.run(tool.input.parse({ command, ...more }), context(signal)),
    read: (id: string, seconds = 20) => readBash(runner).run({ id, wait_seconds: seconds }, context()),
    stop: (id: string) => stopBash(runner).run({ id }, context()),
  };
}

/** The number that a command wrote to a file in the workspace, once it is there. */
async function pidIn(name: string): Promise<number> {
  const file = join(workspace, name);
  while (!existsSync(file) || readFileSync(file, "utf8").trim() === "") await sleep(10);
  return Number(readFileSync(file, "utf8"));
}

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 1000 && isAlive(pid); tries++) await sleep(10);
  return !isAlive(pid);
}

describe("a sync command", () => {
  test("gives its output in the order it was printed, and what it did", async () => {
    const result = await open().run("echo one; echo two >&2; echo three");
    expect(result).toEqual({
      text: "one\ntwo\nthree",
      failed: false,
      deeds: [{ kind: "command", command: "echo one; echo two >&2; echo three", exitCode: 0 }],
    });
  });

  test("that fails says so with its exit code", async () => {
    const result = await open().run("echo no; exit 7");
    expect([result.text, result.failed]).toEqual(["no\n[exit code 7]", true]);
  });

  test("that does not exist fails with 127, whether a shell looks for it or not", async () => {
    const { run } = open({ environment: { PATH: "/usr/bin:/bin" } });
    expect((await run("no-such-program-here")).text).toContain("[exit code 127]");
    expect((await run("no-such-program-here | cat; exit ${PIPESTATUS[0]}")).text).toContain("[exit code 127]");
  });

  test("that is killed by a signal is no success", async () => {
    const result = await open().run("kill -9 $$");
    expect([result.text, result.failed]).toEqual(["(no output)\n[ended by SIGKILL]", true]);
  });

  test("gets no input and does not wait for it", async () => {
    expect((await open().run("cat; echo done")).text).toBe("done");
  });

  test("runs where it is told to, and a folder that is gone is named", async () => {
    mkdirSync(join(workspace, "sub"));
    const { run } = open();
    expect((await run("pwd", { cwd: "sub" })).text).toBe(join(workspace, "sub"));
    await expect(run("pwd", { cwd: "gone" })).rejects.toThrow(`the folder ${join(workspace, "gone")} does not exist`);
  });

  test("that takes too long is ended with everything it started, although it ignores TERM", async () => {
    const { run } = open();
    const result = await run(
      "trap '' TERM; (trap '' TERM; echo $BASHPID > child; while :; do sleep 0.1; done) & echo started; while :; do sleep 0.1; done",
      { timeout_seconds: 3 },
    );
    expect(result.failed).toBe(true);
    expect(result.text).toContain("started\n[ended after 3 s; use mode async for longer commands]\n[ended by SIGKILL]");
    expect(await gone(await pidIn("child"))).toBe(true);
  });

  needs("setsid", "process marks")(
    "leaves no process behind, neither in its group nor in a session of its own",
    async () => {
      const { run, runner } = open();
      const result = await run(
        "sleep 300 & echo $! > group; setsid sh -c 'echo $$ > away; exec sleep 300' >/dev/null 2>&1 & sleep 0.3; echo done",
      );
      expect(result.text).toMatch(
        /^done\n\[\d of its processes were still running and were ended; use mode async to keep them\]$/,
      );
      expect(await gone(await pidIn("group"))).toBe(true);
      await runner.close();
      expect(await gone(await pidIn("away"))).toBe(true);
    },
  );

  test("that leaves something printing without end is ended all the same", async () => {
    const { text } = await open().run("yes & echo $! > noisy; sleep 0.2");
    expect(text).toContain("of its processes were still running and were ended");
    expect(await gone(await pidIn("noisy"))).toBe(true);
  });

  needs("setsid", "process marks")(
    "that hides alone, without group and output, is ended with the session",
    async () => {
      const { run, runner } = open();
      await run(
        "setsid sh -c 'echo $$ > away; exec sleep 300' >/dev/null 2>&1 </dev/null & while [ ! -s away ]; do sleep 0.05; done",
      );
      await runner.close();
      expect(await gone(await pidIn("away"))).toBe(true);
    },
  );

  needs("setsid", "process marks")("is ended although it keeps moving to a new process and a new session", async () => {
    const hop = `trap '' TERM; echo $$ >> hops; sleep 0.3; exec 2>&-; setsid bash hop.sh & `;
    writeFileSync(join(workspace, "hop.sh"), hop);
    await open().run("bash hop.sh; sleep 300", { timeout_seconds: 2 });
    const hops = readFileSync(join(workspace, "hops"), "utf8").trim().split("\n").map(Number);
    expect([hops.length > 2, hops.filter((pid) => isAlive(pid))]).toEqual([true, []]);
  });

  test("is ended by an interruption, and the result says so", async () => {
    const { run } = open();
    const controller = new AbortController();
    const result = run("echo $$ > self; sleep 300", {}, controller.signal);
    const pid = await pidIn("self");
    controller.abort();
    expect((await result).text).toBe("(no output)\n[interrupted]\n[ended by SIGTERM]");
    expect(isAlive(pid)).toBe(false);
  });
});

describe("output", () => {
  test("of a gigabyte is shown by its beginning and end, in little memory and little disk", async () => {
    const { run } = open();
    const before = process.memoryUsage().rss;
    const { text } = await run(`yes ${"a".repeat(100)} | head -c 1073741824; echo; echo the end`, {
      timeout_seconds: 300,
    });
    expect(text.length).toBeLessThan(31_000);
    expect(text).toMatch(/^a{100}\n/);
    // It takes longer on a busy machine, and the result says so.
    expect(text.slice(-40)).toMatch(/\nthe end(?:\n\[took \d+ s\])?$/);
    expect(text).toMatch(/\[… omitted; 1073741833 bytes in total, the first 8388608 of them are in \S+ …\]/);
    const [file = ""] = readdirSync(outputFolder);
    expect(readFileSync(join(outputFolder, file)).length).toBe(8_388_608);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  }, 300_000);

  test("that is no text is not shown", async () => {
    expect((await open().run("head -c 5000 /dev/zero")).text).toMatch(
      /^\(5000 bytes of binary data; all of them are in \S+\)$/,
    );
    expect((await open().run("printf '\\200\\201\\376\\377\\300\\301'")).text).toMatch(/^\(6 bytes of binary data/);
  });

  test("loses colours, overwritten progress and control characters", async () => {
    expect((await open().run(`printf '\\033[31mred\\033[0m\\n10%%\\r50%%\\r100%%\\nbell\\007\\r\\nß'`)).text).toBe(
      "red\n100%\nbell\nß",
    );
  });
});

describe("the environment of a command", () => {
  test("has no secrets, loads no code, and finds no program in the workspace", async () => {
    writeFileSync(join(workspace, "ls"), "#!/bin/sh\necho mine\n", { mode: 0o755 });
    const { run } = open({
      environment: {
        ANTHROPIC_API_KEY: "the-secret",
        BASH_ENV: join(workspace, "ls"),
        PATH: `${workspace}:.:${process.env["PATH"] ?? ""}`,
        HARMLESS: "kept",
      },
    });
    const { text } = await run("env; ls");
    expect([text.includes("the-secret"), text.includes("mine"), text.includes("HARMLESS=kept")]).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe("an async command", () => {
  test("is read while it runs and after it has ended", async () => {
    const { run, read } = open();
    const first = await run("echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 3", { mode: "async" });
    expect(first.text).toBe("c1 started.\none\n");
    expect((await read("c1", 0)).text).toBe("(no new output)\n[still runs]");
    writeFileSync(join(workspace, "go"), "");
    expect((await read("c1")).text).toBe("two\n[ended]\n[exit code 3]");
    expect((await read("c1")).text).toBe("no command c1 runs; there is none");
  });

  test("is stopped with its children", async () => {
    const { run, stop } = open();
    await run("trap '' TERM; sleep 300 & echo $! > child; wait; sleep 300", { mode: "async" });
    const child = await pidIn("child");
    expect((await stop("c1")).text).toContain("[ended]");
    expect(isAlive(child)).toBe(false);
  });

  test("ends with the session", async () => {
    const { run, runner } = open();
    await run("echo $$ > self; sleep 300", { mode: "async" });
    const pid = await pidIn("self");
    await runner.close();
    expect(isAlive(pid)).toBe(false);
  });

  test("too many async commands are refused and do not run on", async () => {
    const { run } = open();
    const all = await Promise.allSettled(Array.from({ length: 21 }, () => run("sleep 300", { mode: "async" })));
    expect(all.filter(({ status }) => status === "rejected")).toMatchObject([
      { reason: { message: "20 commands are already running; stop one first" } },
    ]);
  });
});

test("a detached command goes on after the session, and its files say how it went", async () => {
  const { run, runner } = open();
  const { text } = await run("while [ ! -e go ]; do sleep 0.05; done; echo finished; exit 4", { mode: "detached" });
  await runner.close();
  const [, output = "", exitFile = ""] = /Output: (\S+)\. When it has ended, (\S+) contains/.exec(text) ?? [];
  expect(existsSync(exitFile)).toBe(false);
  writeFileSync(join(workspace, "go"), "");
  while (!existsSync(exitFile) || readFileSync(exitFile, "utf8") === "") await sleep(20);
  expect([readFileSync(output, "utf8"), readFileSync(exitFile, "utf8")]).toEqual(["finished\n", "4\n"]);
});

test("the last line of a running command is shown, also while an async one is waited for", async () => {
  const { runner } = open();
  const shown: string[] = [];
  const context = {
    callId: "1",
    signal: new AbortController().signal,
    emit: () => {},
    progress: (line: string) => {
      shown.push(line);
      writeFileSync(join(workspace, `saw-${shown.length}`), "");
    },
  };
  const tool = bash({ runner, workspace, takeNotes: UNCONTAINED.takeNotes });
  const wait = (name: string) => `until test -e ${name}; do sleep 0.05; done`;
  const command = `echo one; ${wait("saw-1")}; echo two; echo; ${wait("saw-2")}; echo three`;
  const { text } = await tool.run(tool.input.parse({ command }), context);
  expect([shown, text]).toEqual([["one", "two"], "one\ntwo\n\nthree"]);

  const later = `${wait("begun")}; echo four; ${wait("saw-3")}`;
  const started = await tool.run(tool.input.parse({ command: later, mode: "async" }), context);
  writeFileSync(join(workspace, "begun"), "");
  const id = /^\w+/.exec(started.text)?.[0] ?? "";
  await readBash(runner).run({ id, wait_seconds: 20 }, context);
  expect(shown).toEqual(["one", "two", "four"]);
});
