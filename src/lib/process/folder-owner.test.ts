import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { type FolderOwner, ownerLife, ownerOf, ownFolder } from "./folder-owner.ts";
import { seesAllProcesses } from "./process-table.ts";

/** A folder of ours whose owner record was altered by `change`. */
function ownedAs(change: Partial<FolderOwner>) {
  const folder = tempFolder();
  const owned = ownFolder(folder);
  onTestFinished(() => owned[Symbol.dispose]());
  const owner = { ...ownerOf(folder), ...change };
  writeFileSync(join(folder, "owner.json"), JSON.stringify(owner));
  return { folder, owned };
}

const [boot, host, space] = ["11111111-2222-3333-4444-555555555555", "elsewhere", "pid:[1] time:[1]"];
/** The pid of a process that has ended and been reaped. */
const gone = spawnSync("true").pid;

test.each<[string, Partial<FolderOwner>, string]>([
  ["we ourselves live", {}, "alive"],
  ["a pid that nobody has", { pid: gone }, "dead"],
  ["a pid that another process has now", { started: "1" }, "dead"],
  ["a start time that was never read", { started: "" }, "unknown"],
  ["the same machine before it was started again", { boot }, "dead"],
  ["another machine, even with the same pid", { boot, host }, "unknown"],
  ["another machine, with a pid that nobody has here", { boot, host, pid: gone }, "unknown"],
  ["a container that was given another name, on the same kernel", { host }, "alive"],
  ["another pid namespace, with its lock held", { space, pid: gone }, "alive"],
  ["another pid namespace that had no lock", { space, pid: gone, lock: "" }, "unknown"],
  ["another pid namespace, the lock another file", { space, pid: gone, lock: "1:1" }, "unknown"],
  ["a namespace that could not be told", { space: "", pid: gone, lock: "" }, "unknown"],
  ["a boot that could not be told, and a pid that nobody has", { boot: "", pid: gone }, "unknown"],
  ["a boot that could not be told, and ourselves", { boot: "" }, "alive"],
])("the life of an owner: %s", (_, change, life) => {
  expect(ownerLife(ownedAs(change).folder)).toBe(life);
});

test.runIf(seesAllProcesses())(
  "a lock that its owner has let go of shows that it is dead, in any namespace; a copy of it shows nothing",
  () => {
    const { folder, owned } = ownedAs({ space, pid: gone });
    const text = readFileSync(join(folder, "owner.json"), "utf8");
    const lock = join(folder, "owner.lock");
    renameSync(lock, `${lock}.kept`);
    owned[Symbol.dispose]();
    writeFileSync(join(folder, "owner.json"), text);
    copyFileSync(`${lock}.kept`, lock);
    expect(ownerLife(folder)).toBe("unknown");
    rmSync(lock);
    renameSync(`${lock}.kept`, lock);
    expect(ownerLife(folder)).toBe("dead");
  },
);

test("a folder that names no owner, or names it in a way that cannot be read, is nobody's to remove", () => {
  const folder = tempFolder();
  expect(ownerLife(folder)).toBe("unknown");
  for (const text of ["", "{", "null", '{"pid":1}', `{"pid":"${gone}","started":"1"}`]) {
    writeFileSync(join(folder, "owner.json"), text);
    expect([text, ownerLife(folder)]).toEqual([text, "unknown"]);
  }
});

test.runIf(seesAllProcesses())("the lock of a killed process is free at once", async () => {
  const folder = tempFolder();
  const script = `
    const { ownFolder } = await import(${JSON.stringify(join(import.meta.dirname, "folder-owner.ts"))});
    ownFolder(process.argv[1]);
    globalThis.gc?.();
    console.log("ready");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--expose-gc", "--input-type=module", "-e", script, folder]);
  await once(child.stdout, "data");
  const other = { ...ownerOf(folder), space };
  writeFileSync(join(folder, "owner.json"), JSON.stringify(other));
  expect(ownerLife(folder)).toBe("alive");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(ownerLife(folder)).toBe("dead");
});
