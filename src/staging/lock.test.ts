import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { sha256 } from "../lib/json/sha256.ts";
import { lockRepository } from "./lock.ts";

test("a second one waits until the first has ended", async () => {
  const home = tempFolder();
  const order: string[] = [];
  const first = await lockRepository(home, "/repository");
  const second = lockRepository(home, "/repository").then((lock) => {
    order.push("second");
    lock[Symbol.dispose]();
  });
  (await lockRepository(home, "/another"))[Symbol.dispose]();
  order.push("first");
  first[Symbol.dispose]();
  await second;
  expect(order).toEqual(["first", "second"]);
});

test("the lock of another process holds, whatever pids mean there, until that process is killed", async () => {
  const home = tempFolder();
  const script = `
    const { lockRepository } = await import(${JSON.stringify(join(import.meta.dirname, "lock.ts"))});
    globalThis.lock = await lockRepository(process.argv[1], "/repository");
    console.log("held");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, home]);
  await once(child.stdout, "data");
  await expect(lockRepository(home, "/repository", 0)).rejects.toMatchObject({
    message: expect.stringMatching(/^another process( \(pid \d+\))? is staging in this repository$/),
    exitCode: 1,
  });
  child.kill("SIGKILL");
  await once(child, "exit");
  using lock = await lockRepository(home, "/repository", 0);
  expect(lock).toBeDefined();
});

test("a file with a pid, as an older signalbox left it, does not count", async () => {
  const home = tempFolder();
  mkdirSync(join(home, "locks"));
  writeFileSync(join(home, "locks", `stage-${sha256("/repository").slice(0, 32)}`), String(process.pid));
  using lock = await lockRepository(home, "/repository", 0);
  expect(lock).toBeDefined();
});
