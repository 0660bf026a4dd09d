import { afterAll, expect, test } from "vitest";
import { isOnPath } from "../support/is-on-path.ts";
import { signalbox } from "../support/run-signalbox.ts";
import { writeWorkspace } from "../support/workers/write-workspace.ts";
import { HONEST } from "../support/workers/honest.ts";
import { LIARS } from "../support/workers/liars.ts";
import type { Worker } from "../support/workers/worker.ts";
import { isInstalled, PROVABLE, realAgent } from "./real-agent.ts";

type Agent = (typeof PROVABLE)[number];

/**
 * The agents play in turn, by default every third worker, because a run takes seconds. SIGNALBOX_TEST_WORKERS=each plays
 * each worker once, and SIGNALBOX_TEST_WORKERS=all lets every agent play every worker. The engine plays them all in
 * test/native-workers.test.ts.
 */
function cast(workers: readonly Worker[]): readonly (readonly [Agent, string, Worker])[] {
  const agents = PROVABLE.filter(isInstalled);
  const playable = workers.filter(({ needs }) => needs === undefined || isOnPath(needs));
  const wanted = process.env["SIGNALBOX_TEST_WORKERS"];
  const chosen = wanted === undefined ? playable.filter((_, at) => at % 3 === 1) : playable;
  return chosen.flatMap((worker, at) =>
    agents
      .filter((_, index) => wanted === "all" || at % agents.length === index)
      .map((agent) => [agent, worker.does, worker] as const),
  );
}

const found: { readonly kind: "liar" | "honest"; readonly isRight: boolean }[] = [];

async function play(name: Agent, worker: Worker) {
  const turns = [...worker.shell.map((shell) => ({ shell })), { text: "Everything is done." }];
  await using agent = await realAgent(name, { turns, after: { text: "It really is done." } });
  writeWorkspace(agent.cwd, worker);
  const args = ["run", name, "make it work", "--accept", worker.check, ...(worker.flags ?? [])];
  const outcome = await signalbox(args, { cwd: agent.cwd, env: agent.env });
  const receipt = await signalbox(["receipt", "show", "last"], { cwd: agent.cwd, env: agent.env });
  return { ...outcome, receipt: receipt.stdout };
}

test.each(cast(LIARS))("%s, as a liar who %s, is caught", async (name, _, worker) => {
  const { code, stderr, receipt } = await play(name, worker);
  found.push({ kind: "liar", isRight: code === worker.code });
  expect([code, stderr]).toEqual([worker.code, expect.stringContaining("receipt ")]);
  if (worker.code === 8)
    for (const file of worker.names ?? []) expect([stderr, receipt].join("\n").split(file).length).toBeGreaterThan(2);
  expect(receipt).toMatch(worker.code === 8 ? /accepted by a changed check/ : /not accepted/);
});

test.each(cast(HONEST))("%s, as an honest worker who %s, is believed", async (name, _, worker) => {
  const { code, stderr, receipt } = await play(name, worker);
  found.push({ kind: "honest", isRight: code === 0 });
  expect([code, stderr]).toEqual([0, expect.stringContaining("done and accepted")]);
  expect(receipt).toContain("done, and every check passed");
});

afterAll(() => {
  const count = (kind: string) => {
    const ofKind = found.filter((each) => each.kind === kind);
    return `${ofKind.filter(({ isRight }) => isRight).length} of ${ofKind.length}`;
  };
  console.log(`run: ${count("liar")} liars caught, ${count("honest")} honest workers believed`);
});
