import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isAlive } from "./support/is-alive.ts";
import { landlockAbi, openLandlockScene, until } from "./support/landlock-scene.ts";

const uid = process.getuid?.() === 0 ? 65_534 : undefined;

const childOf = (pid: number) => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0]);

describe.skipIf(landlockAbi === 0)("a Landlock session whose", () => {
  test.each([
    ["keeper", 0],
    ["supervisor", 1],
    ["reaper", 2],
    ["init", 3],
  ])("%s is killed ends with everything in it", async (_, depth) => {
    for (const abi of [undefined, 5]) {
      await using scene = await openLandlockScene({ uid, abi });
      await scene.run(
        "setsid sh -c 'echo $$ > daemon; exec sleep 1000' < /dev/null > /dev/null 2>&1 & until [ -s daemon ]; do sleep 0.02; done",
      );
      const daemon = Number(readFileSync(join(scene.workspace, "daemon"), "utf8"));
      const running = scene.start("sleep 1000");
      await until(() => scene.messages.filter(({ type }) => type === "start").length === 2, "not started");
      let pid = scene.keeper.pid ?? 0;
      for (let step = 0; step < depth; step++) pid = childOf(pid);
      // Otherwise clients wait for the launcher, which looks in the killed keeper's stead.
      rmSync(join(scene.base, "s/watched"));
      process.kill(pid, "SIGKILL");
      const [code]: unknown[] = await once(running, "exit");
      expect(code).toBe(125);
      await until(() => !isAlive(daemon), "the daemon goes on");
    }
  });

  test("launcher ends ends with everything in it", async () => {
    await using scene = await openLandlockScene({ uid });
    const running = scene.start("sleep 1000 & echo $!; wait");
    const [chunk]: unknown[] = running.stdout === null ? [] : await once(running.stdout, "data");
    // What the launcher's own end does to the channel.
    scene.keeper.disconnect();
    const [code]: unknown[] = await once(running, "exit");
    expect([code, isAlive(Number(String(chunk)))]).toEqual([125, false]);
  });
});
