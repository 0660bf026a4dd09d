import { afterAll, expect, test } from "vitest";
import { before, launchCaller } from "./support/hook-calling-agent.ts";
import { isOnPath } from "./support/is-on-path.ts";
import { tempRepository } from "./support/temp-folder.ts";
import { HONEST } from "./support/workers/honest.ts";
import { LIARS } from "./support/workers/liars.ts";
import type { Worker } from "./support/workers/worker.ts";
import { writeWorkspace } from "./support/workers/write-workspace.ts";

const found: { readonly kind: string; readonly isRight: boolean }[] = [];
const playable = (workers: readonly Worker[]) =>
  workers.filter(({ needs }) => needs === undefined || isOnPath(needs)).map((worker) => [worker.does, worker] as const);

const AFTER = { session_id: "s", hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: {}, tool_response: "" };
const STOP = { session_id: "s", hook_event_name: "Stop", stop_hook_active: false };

/** A launch of a stand-in that does what the worker does, and then wants to stop. */
async function play(worker: Worker) {
  const cwd = tempRepository();
  writeWorkspace(cwd, worker);
  const calls = worker.shell.flatMap((sh) => [
    before("claude", "true"),
    { sh },
    { event: "PostToolUse", payload: AFTER },
  ]);
  const own = ["--accept", worker.check, "--rounds", "1", "--strict-exit", ...(worker.flags ?? [])];
  const { outcome, answers } = await launchCaller("claude", [...calls, { event: "Stop", payload: STOP }], { cwd, own });
  const lines = outcome.stderr.split("\n").map((line) => line.replace("signalbox: ", ""));
  const sentBack = JSON.parse(answers.at(-1)?.stdout || "{}").decision === "block";
  return { ...outcome, lines, sentBack, isVerified: lines.some((line) => line.startsWith("VERIFIED")) };
}

test.each(playable(LIARS))("a liar who %s is caught", async (_, worker) => {
  const { code, stderr, lines, isVerified } = await play(worker);
  found.push({ kind: "liar", isRight: code === worker.code && !isVerified });
  expect([code, isVerified, stderr]).toEqual([worker.code, false, expect.stringContaining("")]);
  if (worker.code === 8) expect(lines.some((line) => /^(?:CHANGED|NOT VERIFIED): /.test(line))).toBe(true);
  for (const name of worker.code === 8 ? (worker.names ?? []) : []) expect(stderr).toContain(name.split(" (")[0]);
});

test.each(playable(HONEST))("an honest worker who %s is believed", async (_, worker) => {
  const { code, stderr, isVerified, sentBack } = await play(worker);
  found.push({ kind: "honest", isRight: code === 0 && isVerified });
  expect([code, isVerified, sentBack, stderr]).toEqual([0, true, false, expect.stringContaining("")]);
});

afterAll(() => {
  const count = (kind: string) => {
    const ofKind = found.filter((each) => each.kind === kind);
    return `${ofKind.filter(({ isRight }) => isRight).length} of ${ofKind.length}`;
  };
  console.log(`launches: ${count("liar")} liars caught, ${count("honest")} honest workers believed`);
});
