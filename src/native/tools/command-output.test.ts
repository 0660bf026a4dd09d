import { chmodSync, existsSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { commandContainment } from "../../../test/support/command-containment.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { Policy } from "../../contract/policy.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import { findBubblewrap } from "../../sandbox/prove-sandbox.ts";
import { openCommandRunner } from "../../sandbox/run/command-runner.ts";
import { showOutput } from "./bash.ts";

let folder = "";

beforeEach(() => {
  folder = tempFolder();
});

function open(sandbox: Policy["sandbox"] = "off") {
  const policy: Policy = { ...PRESETS.ci, version: 1, workspaceRoot: folder, home: tempFolder(), sandbox };
  const outputFolder = tempFolder();
  const runner = openCommandRunner({
    policy,
    environment: process.env,
    outputFolder,
    marksFolder: tempFolder(),
    containment: commandContainment(policy),
  });
  onTestFinished(() => runner.close());
  const run = async (command: string) => {
    const running = await runner.start({ command, folder });
    const { code, leftovers } = await running.ended;
    return { code, leftovers, text: showOutput(running.output.take(), running.output.file) };
  };
  return { runner, run };
}

/** Where pipes are created, until the test ends. */
function useTemporary(path: string): void {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = path;
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
}

const BY_PATH = "set -e; echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr; echo d >> /dev/fd/2";

test("a command can open its streams by their paths", async () => {
  expect(await open().run(BY_PATH)).toEqual({ code: 0, leftovers: 0, text: "a\nb\nc\nc\nd\n" });
});

test.skipIf(findBubblewrap("/nowhere") === undefined)("in the sandbox too", async () => {
  expect(await open("workspace").run(BY_PATH)).toEqual({ code: 0, leftovers: 0, text: "a\nb\nc\nc\nd\n" });
});

test("without real pipes a command still runs, and in its order", async () => {
  const { run } = open();
  useTemporary(join(folder, "gone"));
  const text = Array.from({ length: 50 }, (_, line) => `${line}\n`).join("");
  const command = "for i in {0..49}; do echo $i >&$((i % 2 + 1)); done; exit 3";
  expect(await run(command)).toEqual({ code: 3, leftovers: 0, text });
});

test("both streams come in the order in which they were printed", async () => {
  const text = Array.from({ length: 2000 }, (_, line) => `${line}\n`).join("");
  const command = "for i in {0..1999}; do echo $i >&$((i % 2 + 1)); done";
  expect(await open().run(command)).toEqual({ code: 0, leftovers: 0, text });
});

test("a process that is left and keeps the streams open is ended, and what it printed is there", async () => {
  const end = await open().run("(echo left >&2; exec sleep 300) & sleep 0.2; echo done");
  expect(end).toEqual({ code: 0, leftovers: 1, text: "left\ndone\n" });
});

test("a command that closes its streams early has the exit code of its end", async () => {
  expect(await open().run("echo first; exec >&- 2>&-; sleep 0.3; exit 6")).toEqual({
    code: 6,
    leftovers: 0,
    text: "first\n",
  });
});

test("a hundred megabytes on stderr are read to the end", async () => {
  const { code, text } = await open().run("head -c 104857600 /dev/zero | tr '\\0' 'x' >&2; echo; echo end");
  expect([code, text.includes("104857605 bytes in total"), text.endsWith("x\nend\n")]).toEqual([0, true, true]);
});

describe("a program without a shell around it", () => {
  test("that is missing, or is no program, is reported as bash does", async () => {
    const { run } = open();
    writeFileSync(join(folder, "data"), "");
    expect([(await run("no-such-program-here")).code, (await run("./nothing")).code]).toEqual([127, 127]);
    expect((await run("./data")).code).toBe(126);
  });

  test("is found by its path from the folder, with or without a first line that names an interpreter", async () => {
    const { run } = open();
    for (const [name, first] of Object.entries({ named: "#!/bin/sh\n", bare: "" })) {
      writeFileSync(join(folder, name), `${first}echo ${name} > /dev/stderr\n`);
      chmodSync(join(folder, name), 0o755);
      expect(await run(`./${name} word`)).toEqual({ code: 0, leftovers: 0, text: `${name}\n` });
    }
  });
});

describe("many commands", () => {
  test("at once each have a stream of their own", async () => {
    const { run } = open();
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    const ends = await Promise.all(numbers.map((number) => run(`echo ${number}; sleep 0.1; echo ${number} >&2`)));
    expect(ends.map(({ text }) => text)).toEqual(numbers.map((number) => `${number}\n${number}\n`));
  });

  test("of one session leave no pipe behind, neither open nor on disk", async () => {
    const { run, runner } = open();
    const [temporary, before] = [tempFolder(), openPipesOfUs()];
    useTemporary(temporary);
    for (let number = 0; number < 100; number++) expect((await run(`echo ${number}`)).text).toBe(`${number}\n`);
    await runner.close();
    expect(openPipesOfUs()).toBe(before);
    expect(readdirSync(temporary)).toEqual([]);
    // Closing twice, as when a session ends twice, is not an error.
    await runner.close();
  }, 60_000);
});

/** How many FIFOs this process has open; 0 where the system does not say. */
function openPipesOfUs(): number {
  if (!existsSync("/proc/self/fd")) return 0;
  return readdirSync("/proc/self/fd").filter((name) => linkOf(name).includes("signalbox-pipes-")).length;
}

function linkOf(name: string): string {
  try {
    return readlinkSync(join("/proc/self/fd", name));
  } catch {
    // The descriptor used to read the folder.
    return "";
  }
}
