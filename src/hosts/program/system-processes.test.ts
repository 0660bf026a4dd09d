import { expect, test } from "vitest";
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
