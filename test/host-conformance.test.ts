import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { checkHost, PROMISES } from "../src/hosts/sidecar/conformance.ts";
import { isAlive } from "./support/is-alive.ts";
import { SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { workOrder } from "./support/run-order.ts";
import { tempFolder } from "./support/temp-folder.ts";

const FIXTURES = join(import.meta.dirname, "fixtures/hosts");
const kept = PROMISES.map(({ name }) => ({ name, wrong: undefined }));
const env = () => ({ ...process.env, HOME: tempFolder() });

test("our mock keeps every promise of a host", { timeout: 120_000 }, async () => {
  const order = workOrder({ root: tempFolder(), script: [{ bash: "echo hi" }, { say: "done" }] });
  const findings = await Array.fromAsync(
    checkHost({ path: SIGNALBOX, argv: ["sidecar", "mock"] }, { env: env(), order }),
  );
  expect(findings).toEqual(kept);
});

test("an ACP agent behind our host keeps every promise of a host", { timeout: 120_000 }, async () => {
  const order = { ...workOrder({ root: tempFolder() }), task: "say hello\nask-run echo hi" };
  const argv = ["sidecar", "acp", "--", process.execPath, join(FIXTURES, "acp-agent.ts")];
  const findings = await Array.fromAsync(checkHost({ path: SIGNALBOX, argv }, { env: env(), order }));
  expect(findings).toEqual(kept);
});

test("the command names the promises that a host breaks", { timeout: 120_000 }, async () => {
  const args = ["sidecar", "check", "--", process.execPath, join(FIXTURES, "bad-host.mjs"), "two-finals"];
  const outcome = await signalbox(args);
  const broken = outcome.stdout.split("\n").filter((line) => line.startsWith("BROKEN"));
  expect([outcome.code, broken.map((line) => line.slice(7))]).toEqual([
    1,
    [
      "ends a run with exactly one final message: it sent two",
      "opens a trace with run_started and closes it with run_completed: the trace was ",
      "returns a complete receipt: meta",
      "answers an invalid line with a fatal, and continues: it sent no fatal with a null ref_id",
      "answers pings: it did not",
    ],
  ]);
});

test.each([
  ["whose reader goes away", undefined, 141],
  ["that is told to end", "SIGTERM", 143],
] as const)("a host of ours %s leaves nothing running", { timeout: 60_000 }, async (_, signal, code) => {
  const root = tempFolder();
  const mark = join(root, "pid");
  const steps = [{ bash: "sleep 1" }, { bash: `echo $$ > ${mark}; sleep 600` }];
  const order = workOrder({ root, script: signal === undefined ? steps : steps.slice(1) });
  const child = spawn(SIGNALBOX, ["sidecar", "mock"], { env: env(), stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(child, "exit");
  child.stdin.on("error", () => {}).write(`${JSON.stringify({ t: "run", id: randomUUID(), work_order: order })}\n`);
  for await (const chunk of child.stdout) if (String(chunk).includes('"tool_call"')) break;
  if (signal !== undefined) {
    while (!existsSync(mark) || readFileSync(mark, "utf8") === "") await sleep(20);
    child.kill(signal);
  }
  expect(await ended).toEqual([code, null]);
  expect(existsSync(mark) && isAlive(Number(readFileSync(mark, "utf8")))).toBe(false);
});
