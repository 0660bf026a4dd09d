import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/temp-folder.ts";
import { sha256 } from "../lib/sha256.ts";
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
  expect([order, readdirSync(join(home, "locks"))]).toEqual([["first", "second"], []]);
});

test("the lock of a process that has died does not count", async () => {
  const home = tempFolder();
  const { pid } = spawnSync("/bin/true");
  mkdirSync(join(home, "locks"));
  writeFileSync(join(home, "locks", `stage-${sha256("/repository").slice(0, 32)}`), String(pid));
  using lock = await lockRepository(home, "/repository");
  expect(lock).toBeDefined();
});
