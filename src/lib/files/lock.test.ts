import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { isLocked, lockHolder, takeLock, waitForLock, withLock } from "./lock.ts";

/** A process that prints `held` once it has the lock, and keeps it until it is killed. */
const HOLDER = `
  const { withLock } = await import(process.argv[1]);
  const { writeSync } = await import("node:fs");
  withLock(process.argv[2], () => {
    writeSync(1, "held");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

test("a lock that another process holds is not given, until that one is killed", async () => {
  const file = join(tempFolder(), "locks/one.sqlite");
  const args = ["--input-type=module", "--eval", HOLDER, join(import.meta.dirname, "lock.ts"), file];
  const holder = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(holder, "exit");
  await once(holder.stdout, "data");
  expect(() => withLock(file, () => "mine", 10)).toThrow(
    /^cannot take a lock: another process( \(pid \d+\))? has held it for 10 ms$/,
  );
  holder.kill("SIGKILL");
  await ended;
  expect(withLock(file, () => "mine")).toBe("mine");
  expect(statSync(file).size).toBe(0);
});

test("work that throws gives the lock back", () => {
  const file = join(tempFolder(), "one.sqlite");
  expect(() =>
    withLock(file, () => {
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(withLock(file, () => "mine", 10)).toBe("mine");
});

test("a place that cannot hold a lock is said", () => {
  const file = join(tempFolder(), "one.sqlite");
  mkdirSync(file);
  expect(() => withLock(file, () => "mine", 10)).toThrow("cannot take a lock: unable to open database file");
});

test("a process that waits takes the lock once its holder is killed, and is told who holds it until then", async () => {
  const file = join(tempFolder(), "one.sqlite");
  const args = ["--input-type=module", "--eval", HOLDER, join(import.meta.dirname, "lock.ts"), file];
  const holder = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  await once(holder.stdout, "data");
  expect([takeLock(file), await waitForLock(file, 0), isLocked(file)]).toEqual([undefined, undefined, true]);
  // Not every file system lists its locks under the file's own inode number.
  expect(["another process", `another process (pid ${holder.pid})`]).toContain(lockHolder(file));
  const waiting = waitForLock(file);
  holder.kill("SIGKILL");
  (await waiting)?.[Symbol.dispose]();
  expect(isLocked(file)).toBe(false);
});
