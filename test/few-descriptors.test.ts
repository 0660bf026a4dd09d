import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SIGNALBOX } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

const limited = (limit: string, argv: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
  execFileSync("bash", ["-c", `ulimit ${limit}; "$@" 2>&1; echo "exit $?"`, "bash", ...argv], {
    env,
    encoding: "utf8",
  });

test("with too few descriptors for Node itself, signalbox says so and does not start", () => {
  const env = { PATH: process.env["PATH"], HOME: tempFolder() };
  for (const limit of ["-n 16", "-n 24", "-n 63"]) {
    const count = limit.slice(3);
    expect(limited(limit, [SIGNALBOX, "doctor"], env)).toBe(
      `signalbox: the open file limit is ${count}, but at least 64 is needed\n` +
        "  fix: raise the limit first: ulimit -n 1024\nexit 1\n",
    );
  }
});

test("a low limit that may be raised is raised, and the least that is enough lets doctor work", () => {
  const env = { PATH: process.env["PATH"], HOME: tempFolder() };
  expect(limited("-S -n 24", [SIGNALBOX, "--version"], env)).toMatch(/^\d+\.\d+\.\d+\nexit 0\n$/);
  expect(limited("-n 64", [SIGNALBOX, "doctor"], env)).toMatch(/No check failed\. .*\nexit 0\n$/);
});

test("every start of a program in a process without a free descriptor fails in words", () => {
  const folder = tempFolder();
  const hook = join(folder, "hook");
  writeFileSync(hook, "#!/bin/sh\n", { mode: 0o755 });
  const fixture = join(import.meta.dirname, "fixtures/no-descriptors.ts");
  const output = limited("-n 64", [process.execPath, fixture, folder, hook]);
  const told = "too many open files in this process (EMFILE)";
  expect(JSON.parse(output.split("\n")[0] ?? "")).toEqual({
    firstLine: told,
    runGit: told,
    runHook: expect.stringMatching(/it could not be started: spawn .* EMFILE/),
    runCheck: told,
    startProgram: told,
    startCommand: told,
  });
});
