import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mergePolicy } from "../../guard/policy/merge-policy.ts";
import { hasSandbox } from "../../../test/support/sandbox-scene.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { systemProcesses } from "./system-processes.ts";

const check = (command: string) =>
  systemProcesses(process.env).runCheck({
    command,
    cwd: tempFolder(),
    runId: `run-of-a-check-${process.pid}-${Math.random()}`,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
  });

test("a check can open its streams by their paths, and both are kept in their order", async () => {
  const command = "set -e; echo a > /dev/stdout; echo b > /dev/stderr; echo c; echo d | tee /dev/stderr; echo e >&2";
  expect(await check(command)).toEqual({ code: 0, because: "exited 0", output: "a\nb\nc\nd\nd\ne" });
});

test("of a long output the end is kept, and a process that keeps the stream open does not hold it up", async () => {
  const end = await check("sleep 300 & head -c 300000 /dev/zero | tr '\\0' x >&2; echo the end; exit 5");
  expect([end.code, end.output.length, end.output.endsWith("xthe end")]).toEqual([5, 4095, true]);
});

describe.skipIf(!hasSandbox)("a check that runs what an agent wrote", () => {
  const contained = (workspaceRoot: string, command: string, given: { cwd?: string; isRequired?: boolean } = {}) => {
    const home = tempFolder();
    const { cwd = workspaceRoot, isRequired = true } = given;
    return systemProcesses({ ...process.env, HOME: home }).runCheck({
      command,
      cwd,
      sandbox: { policy: mergePolicy([], { workspaceRoot, home }), home: join(home, ".signalbox"), isRequired },
      runId: `run-of-a-check-${process.pid}-${Math.random()}`,
      timeoutMs: 20_000,
      signal: new AbortController().signal,
    });
  };

  test("changes the workspace, and nothing outside", async () => {
    const [root, elsewhere] = [tempFolder(), tempFolder()];
    const command = `echo seen; echo made > inside; echo made > ${elsewhere}/outside; exit 7`;
    expect(await contained(root, command)).toMatchObject({ code: 7, output: expect.stringMatching(/^seen\n/) });
    expect([readdirSync(root), readdirSync(elsewhere)]).toEqual([["inside"], []]);
  });

  test("also in a copy of the workspace, which it may change", async () => {
    const [root, copy] = [tempFolder(), tempFolder()];
    expect(await contained(root, "echo made > inside", { cwd: copy })).toMatchObject({ code: 0 });
    expect(readdirSync(copy)).toEqual(["inside"]);
  });

  test("does not run where it cannot be contained, unless the agent's commands were not either", async () => {
    const mark = join(tempFolder(), "mark");
    expect(await contained("/", `touch ${mark}`, { cwd: tempFolder() })).toEqual({
      code: null,
      because: expect.stringMatching(/^could not be contained: .*\. To change that: /),
      output: "",
    });
    expect(existsSync(mark)).toBe(false);
    expect((await contained("/", `touch ${mark}`, { cwd: tempFolder(), isRequired: false })).code).toBe(0);
    expect(existsSync(mark)).toBe(true);
  });
});
