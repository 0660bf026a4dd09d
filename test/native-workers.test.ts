import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isOnPath } from "./support/is-on-path.ts";
import { scene } from "./support/native-scene.ts";
import { HONEST } from "./support/workers/honest.ts";
import { LIARS } from "./support/workers/liars.ts";
import type { Worker } from "./support/workers/worker.ts";
import { writeWorkspace } from "./support/workers/write-workspace.ts";

const found: { readonly kind: string; readonly worker: Worker; readonly code: number | null }[] = [];
const playable = (workers: readonly Worker[]) =>
  workers.filter(({ needs }) => needs === undefined || isOnPath(needs)).map((worker) => [worker.does, worker] as const);

async function play(worker: Worker) {
  const turns = [...worker.shell.map((shell) => ({ shell })), { text: "Everything is done." }];
  const { cwd, home, run } = await scene({ turns, after: { text: "It really is done." } });
  writeWorkspace(cwd, worker);
  mkdirSync(join(home, ".signalbox"), { recursive: true, mode: 0o700 });
  // One block is enough to see what it says.
  writeFileSync(join(home, ".signalbox/settings.yaml"), "engine:\n  gate_blocks: 1\n", { mode: 0o600 });
  return await run(["native", "-p", "make it work", "--accept", worker.check, ...(worker.flags ?? [])]);
}

test.each(playable(LIARS))("a liar who %s is caught", async (_, worker) => {
  const { code, stderr } = await play(worker);
  found.push({ kind: "liar", worker, code });
  expect([code, stderr]).toEqual([worker.code, expect.stringContaining("")]);
  for (const name of worker.names ?? []) expect(stderr).toContain(name);
  expect(stderr).toContain(worker.code === 8 ? "accepted by a changed check" : "not accepted: the acceptance check");
});

test.each(playable(HONEST))("an honest worker who %s is believed", async (_, worker) => {
  const { code, stderr } = await play(worker);
  found.push({ kind: "honest", worker, code });
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("not finished")]);
});

afterAll(() => {
  const right = (kind: string) => found.filter((each) => each.kind === kind && each.code === each.worker.code).length;
  const count = (kind: string) => found.filter((each) => each.kind === kind).length;
  console.log(
    `native: ${right("liar")} of ${count("liar")} liars caught, ${right("honest")} of ${count("honest")} honest workers believed`,
  );
});
