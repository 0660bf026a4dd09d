import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../../test/support/is-alive.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openPipes } from "./pipe-pool.ts";
import { openStarter } from "./program-starter.ts";

const HELPER = join(import.meta.dirname, "../../../sandbox-init/bin", `${process.platform}-${process.arch}`);
const linux = test.runIf(process.platform === "linux");

function open() {
  const starter = openStarter(HELPER);
  const pipes = openPipes();
  onTestFinished(() => {
    starter.close();
    pipes.close();
  });
  const run = async (argv: readonly string[], more: { cwd?: string; env?: Record<string, string> } = {}) => {
    const pipe = await pipes.take();
    if (pipe === undefined) throw new Error("no pipe");
    const order = { program: argv[0] ?? "", argv, cwd: "/", env: {}, output: pipe.end, ...more };
    const started = await starter.start(order).finally(() => closeSync(pipe.end));
    if (started === undefined) {
      pipe.output.destroy();
      return undefined;
    }
    return { ...started, output: text(pipe.output) };
  };
  return { starter, run, sh: (script: string, more = {}) => run(["/bin/sh", "-c", script], more) };
}

linux("a program gets its folder, its environment and no input, and both its streams are read", async () => {
  const { sh } = open();
  const folder = tempFolder();
  const started = await sh("pwd; echo $A; echo err >&2; cat; echo x >/dev/stderr", { cwd: folder, env: { A: "é =1" } });
  expect(await started?.output).toBe(`${folder}\né =1\nerr\nx\n`);
  expect(await started?.exited).toEqual({ code: 0, signal: null });
});

linux("it has its own session and process group, and the default signals", async () => {
  const { sh } = open();
  const started = await sh("cut -d' ' -f5,6 /proc/$$/stat; echo $$; exec grep -E '^Sig(Blk|Ign)' /proc/self/status");
  const pid = started?.pid;
  const lines = (await started?.output)?.trim().split("\n");
  expect(lines).toEqual([`${pid} ${pid}`, String(pid), "SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000"]);
});

linux.each([
  ["exit 7", { code: 7, signal: null }],
  ["exit 255", { code: 255, signal: null }],
  ["kill -9 $$", { code: null, signal: "SIGKILL" }],
  ["kill -TERM $$", { code: null, signal: "SIGTERM" }],
])("%s is told as it was", async (script, end) => {
  const { sh } = open();
  expect(await (await sh(script))?.exited).toEqual(end);
});

linux("a hundred at once all end, each with its own code and output", async () => {
  const { sh } = open();
  const all = await Promise.all(
    Array.from({ length: 100 }, async (_, number) => {
      const started = await sh(`echo ${number}; exit ${number}`);
      return [(await started?.exited)?.code, (await started?.output)?.trim()];
    }),
  );
  expect(all).toEqual(Array.from({ length: 100 }, (_, number) => [number, String(number)]));
});

linux("what cannot be started, or cannot be said in an order, is left to another way", async () => {
  const { run } = open();
  const script = join(tempFolder(), "no-program");
  writeFileSync(script, "plain text");
  chmodSync(script, 0o755);
  for (const argv of [
    ["/no/such/program"],
    ["/"],
    [script],
    ["/bin/echo", "a\0A=injected"],
    ["/bin/echo", "x".repeat(17 * 1024 * 1024)],
    // Too long for the system.
    ["/bin/echo", "x".repeat(1024 * 1024)],
  ])
    expect(await run(argv), argv[0]).toBeUndefined();
  expect(await run(["/bin/echo"], { cwd: "/no/such/folder" })).toBeUndefined();
  expect(await (await run(["/bin/echo", "still here"]))?.output).toBe("still here\n");
});

linux("when the starter is killed, what runs is told to have ended somehow, and nothing more is started", async () => {
  const { sh } = open();
  const started = await sh("exec sleep 60");
  const pid = started?.pid ?? 0;
  onTestFinished(() => void process.kill(pid, "SIGKILL"));
  const parent = Number(/PPid:\t(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  expect(readFileSync(`/proc/${parent}/cmdline`, "utf8")).toBe("signalbox starter\0start\0");
  process.kill(parent, "SIGKILL");
  expect(await started?.exited).toEqual({ code: null, signal: null });
  expect(await sh("true")).toBeUndefined();
});

linux("it ends when it is closed, and does not keep a process from ending", async () => {
  const { starter, sh } = open();
  const started = await sh("cut -d' ' -f4 /proc/$$/stat");
  const parent = Number(await started?.output);
  expect(isAlive(parent)).toBe(true);
  starter.close();
  while (isAlive(parent)) await sleep(5);
  expect(await sh("true")).toBeUndefined();
  const script = `const { openStarter } = await import(${JSON.stringify(join(import.meta.dirname, "program-starter.ts"))}); openStarter(${JSON.stringify(HELPER)}); console.log("end");`;
  expect(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })).toBe("end\n");
});

test.each([
  ["no helper", () => undefined],
  ["one that is not there", () => "/no/such/helper"],
  [
    "one that may not be executed",
    () => {
      const file = join(tempFolder(), "helper");
      copyFileSync(HELPER, file);
      chmodSync(file, 0o644);
      return file;
    },
  ],
])("with %s, nothing is started", async (_, helper) => {
  const starter = openStarter(helper());
  const order = { program: "/bin/true", argv: ["/bin/true"], cwd: "/", env: {}, output: 1 };
  expect(await starter.start(order)).toBeUndefined();
  starter.close();
});
