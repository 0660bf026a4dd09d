import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasSandbox, openScene } from "../../../test/support/sandbox-scene.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { limitFacts, limitGroups, limitsOf } from "./limits.ts";

const [MB, GB] = [1024 ** 2, 1024 ** 3];

test("by default a quarter of the memory stays free, and the folders in memory take at most half of it", () => {
  const { memory, tmp, data } = limitsOf({}, 8 * GB);
  expect([memory / GB, tmp / GB, data]).toEqual([6, 2, undefined]);
  expect(limitsOf({}, 64 * GB).tmp / GB).toBe(4);
  expect(limitsOf({ limits: { memory: GB, tmp: 5 * GB } }, 8 * GB)).toMatchObject({
    memory: GB,
    data: GB,
    tmp: 5 * GB,
  });
});

test("an ordinary folder is not taken for a control group, and nothing stays in it", () => {
  const mount = tempFolder();
  mkdirSync(join(mount, "memory"));
  using groups = limitGroups(limitsOf({}), { mount, own: "4:memory:/\n" });
  expect([groups.held, groups.join, readdirSync(mount), readdirSync(join(mount, "memory"))]).toEqual([
    [],
    [],
    ["memory"],
    [],
  ]);
});

test("control groups that were made are removed, and what holds is said", () => {
  const groups = limitGroups(limitsOf({}));
  groups[Symbol.dispose]();
  const policy = { limits: { memory: 512 * MB, processes: 99 } };
  const facts = new Map(limitFacts(policy, true).map((fact) => [fact.what, fact.limit]));
  const isRoot = process.getuid?.() === 0;
  expect(facts.get("memory")).toBe(groups.held.includes("memory") ? "512 MB" : "512 MB for each process");
  expect(facts.get("processes")).toBe(isRoot && !groups.held.includes("processes") ? null : "99");
  expect(limitFacts(policy, false).filter(({ limit }) => limit === null)).toHaveLength(4);
});

describe.skipIf(!hasSandbox)("in a sandbox", () => {
  test("a command that takes too much memory fails, and the session goes on", async () => {
    await using scene = await openScene({ policy: { limits: { memory: 200 * MB } } });
    // Without a line feed, tail keeps everything.
    expect(scene.run("head -c 600M /dev/zero | tail -n 1 | wc -c").output).not.toContain(String(600 * MB));
    expect(scene.run("echo alive").output).toBe("alive\n");
  });

  test("the folders in memory have the size that the policy says", async () => {
    await using scene = await openScene({ policy: { limits: { tmp: 8 * MB } } });
    const sizes = scene.run("df --output=size -m /tmp /var/tmp /dev/shm | tail -n 3").output.match(/\d+/g);
    expect(sizes).toEqual(["8", "4", "4"]);
  });

  test("where memory runs out, the kernel ends commands first", async () => {
    await using scene = await openScene();
    const line = "cat /proc/self/oom_score_adj";
    const [inside, outside] = [Number(scene.run(line).output), Number(scene.bare(line).output)];
    expect(inside).toBe(Math.max(500, outside));
  });
});
