import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { needs } from "../../../test/support/platform.ts";
import { isOnPath } from "../../../test/support/is-on-path.ts";
import { parsePs, processTable, startTime } from "./process-table.ts";

needs("process marks")("a process is found with its parent, its start time and the id in its environment", async () => {
  const child = spawn("sleep", ["60"], { env: { PATH: process.env["PATH"], MARK: "a-run-id" } });
  await once(child, "spawn");
  try {
    const row = processTable("a-run-id").find((each) => each.pid === child.pid);
    expect(row).toEqual({ pid: child.pid, parent: process.pid, started: startTime(child.pid ?? 0), marked: true });
    expect(processTable("another-id").find((each) => each.pid === child.pid)?.marked).toBe(false);
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  expect(startTime(child.pid ?? 0)).toBeUndefined();
});

test.runIf(isOnPath("ps"))("POSIX ps gives the same process, its parent and a start time", () => {
  const text = execFileSync("ps", ["-A", "-o", "pid=", "-o", "ppid=", "-o", "stat=", "-o", "lstart="], {
    encoding: "utf8",
  });
  expect(parsePs(text).find((row) => row.pid === process.pid)).toEqual({
    pid: process.pid,
    parent: process.ppid,
    started: expect.stringMatching(/\d\d:\d\d:\d\d \d{4}$/),
    marked: false,
    ended: false,
  });
});

test.runIf(isOnPath("ps"))("where ps tells, a start time is the same in every time zone and language", () => {
  const script = `
    Object.defineProperty(process, "platform", { value: "darwin" });
    const { startTime } = await import(${JSON.stringify(join(import.meta.dirname, "process-table.ts"))});
    console.log(startTime(process.ppid));`;
  const seen = [
    { TZ: "UTC0", LC_ALL: "C" },
    { TZ: "Asia/Kolkata", LC_ALL: "tr_TR.UTF-8" },
    { TZ: "America/New_York", LANG: "de_DE.UTF-8" },
  ].map((env) => execFileSync(process.execPath, ["--input-type=module", "-e", script], { env, encoding: "utf8" }));
  expect(seen[0]).toMatch(/\d\d:\d\d:\d\d \d{4}\n$/);
  expect(seen).toEqual([seen[0], seen[0], seen[0]]);
});

test("a zombie has ended, and broken lines of ps are left out", () => {
  expect(parsePs("  1 0 Ss Sun Nov 15 07:00:00 2026\n 2 1 Z+ Sun Nov 15 07:00:00 2026\nnonsense\n")).toEqual([
    { pid: 1, parent: 0, started: "Sun Nov 15 07:00:00 2026", marked: false, ended: false },
    { pid: 2, parent: 1, started: "Sun Nov 15 07:00:00 2026", marked: false, ended: true },
  ]);
});
