import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../../../test/support/git-repository.ts";
import { runParts, workOrder } from "../../../test/support/run-order.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { RunSetup } from "../../receipts/run/run-setup.ts";
import { runWorkOrder } from "../../receipts/run/run-work-order.ts";
import { acpHost } from "./acp.ts";

const AGENT = join(import.meta.dirname, "../../../test/fixtures/hosts/acp-agent.ts");

const small = (...flags: string[]) =>
  acpHost({ path: process.execPath, argv: [AGENT, ...flags] }, process.env, { name: "small", version: "0" });

async function runTask(root: string, task: string[], change: Partial<RunSetup> = {}) {
  const openHost = small();
  const parts = { ...runParts({ root, openHost }), ...change };
  const steps = await Array.fromAsync(runWorkOrder({ ...workOrder({ root }), task: task.join("\n") }, parts));
  const end = steps.at(-1);
  if (end?.type !== "run-end") throw new Error("no end");
  return end;
}

test("an ACP agent works under a work order: its text, its calls, its answer", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const end = await runTask(root, ["say I will ", "say write", "ask-run echo hi | tee made.txt", "say done"]);
  expect([end.exitCode, readFileSync(join(root, "made.txt"), "utf8")]).toEqual([0, "hi\n"]);
  const shown = end.receipt.trace.map((event) => [
    event.type,
    "text" in event ? event.text : "tool_name" in event ? event.tool_name : "",
  ]);
  expect(shown.slice(1, -1)).toEqual([
    ["assistant_delta", "I will "],
    ["assistant_delta", "write"],
    ["assistant_message", "I will write"],
    ["tool_call", "execute"],
    ["tool_result", "execute"],
    ["assistant_delta", "done"],
    ["assistant_message", "done"],
  ]);
  expect(end.receipt.trace.flatMap((event) => (event.type === "tool_result" ? [event.output] : []))).toEqual(["hi\n"]);
  expect(end.receipt.backend).toEqual({ id: "small", backend_version: "1.2.3", adapter_version: "1" });
  expect(end.facts.guard).toMatchObject({ decisions: { allow: 1, ask: 0, deny: 0 }, calls_not_held: [], held: false });
});

test("a call that the agent does not ask about is said to be not held", async () => {
  const end = await runTask(repositoryWith({ "a.txt": "" }), ["run echo hi"]);
  expect([end.exitCode, end.facts.guard.calls_not_held]).toEqual([0, ["execute call-0"]]);
});

test.each([
  ["a command that leaves the workspace", ["ask-run rm -rf ~/x"]],
  ["an edit by ..", ["ask-edit ../outside.txt"]],
  ["an edit of a file outside that does not exist yet", ["ask-edit /etc/signalbox-no-such-file"]],
  ["an edit through a link", ["ask-edit way/passwd"]],
])("%s is rejected, and giving up is exit 3", async (_, task) => {
  const root = repositoryWith({ "a.txt": "" });
  symlinkSync("/etc", join(root, "way"));
  const end = await runTask(root, task);
  expect([end.exitCode, end.facts.guard.decisions]).toEqual([3, { allow: 0, ask: 0, deny: 1 }]);
});

const spoken = ({ receipt }: Awaited<ReturnType<typeof runTask>>) =>
  receipt.trace.flatMap((event) => (event.type === "assistant_message" ? [event.text] : []));

const TOLD = /^told: blocked a call by its rules; the user rejected nothing\. Blocked `sudo true`: .*say so\.$/;

test.each([
  ["ends its turn", ["ask-run sudo true", "say never"], []],
  ["only lets its model speak", ["try-run sudo true", "say I cannot"], ["I cannot"]],
])("an agent that %s after a denial is told why in the same session", async (_, task, said) => {
  const end = await runTask(repositoryWith({ "a.txt": "" }), task);
  expect([end.exitCode, spoken(end)]).toEqual([3, [...said, expect.stringMatching(TOLD)]]);
});

test("an agent that makes another call after a denial is not told again", async () => {
  const end = await runTask(repositoryWith({ "a.txt": "" }), ["try-run sudo true", "ask-run true", "say done"]);
  expect([end.exitCode, end.facts.guard.decisions, spoken(end)]).toEqual([0, { allow: 1, ask: 0, deny: 1 }, ["done"]]);
});

test("files that the agent leaves to us are read and written under the rules", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const outside = join(tempFolder(), "outside.txt");
  const good = await runTask(root, [`client-read ${root}/a.txt`, `client-write ${root}/b.txt`]);
  expect([good.exitCode, readFileSync(join(root, "b.txt"), "utf8"), good.facts.guard.held]).toEqual([
    0,
    "written\n",
    false,
  ]);
  const bad = await runTask(root, [`client-write ${outside}`]);
  expect(JSON.stringify(bad.receipt.trace)).toContain(`Blocked \`${outside.slice(0, 60)}`);
  expect([bad.facts.guard.decisions.deny, existsSync(outside)]).toEqual([1, false]);
});

test("an agent that dies is exit 7; one that hangs is cancelled in time", async () => {
  const root = repositoryWith({ "a.txt": "" });
  const dead = await runTask(root, ["say hello", "die"]);
  expect([dead.exitCode, dead.because]).toEqual([7, "the agent ended: killed by SIGKILL"]);
  const { limits } = runParts({ root });
  const slow = await runTask(root, ["say hello", "wait"], { limits: { ...limits, idleMs: 1500 } });
  expect([slow.exitCode, slow.facts.stopped]).toEqual([5, "limit"]);
});

test("a program that speaks no ACP is exit 7", async () => {
  const root = repositoryWith({ "a.txt": "" });
  const openHost = acpHost({ path: "/bin/sh", argv: ["-c", "echo hello; exit 3"] }, process.env, {
    name: "sh",
    version: "0",
  });
  const end = await runTask(root, ["say x"], { openHost });
  expect([end.exitCode, end.because]).toEqual([7, "the agent ended: exit code 3"]);
});

/** The agent takes each line of a prompt as a step, so what the check prints is what it does next. */
const TELLING = "test -e made.txt || { echo session; echo ask-run touch made.txt; exit 1; }";

test.each([
  ["in its own session", ["--loads"], ["loaded session-1 []"], []],
  [
    "in a new one with the task, where it cannot load sessions",
    [],
    ["hello", "new []"],
    [expect.stringMatching(/^small could not resume its session \(it does not load sessions\), so it gets the task/)],
  ],
])("an ACP agent is told of a failed check %s", async (_, flags, said, warnings) => {
  const root = repositoryWith({ "a.txt": "" });
  const end = await runTask(root, ["say hello"], { openHost: small(...flags), accept: [TELLING], rounds: 2 });
  expect([end.exitCode, end.facts.acceptance.length]).toEqual([0, 2]);
  const second = end.receipt.trace.filter(({ ext }) => ext?.["round"] === 2);
  expect(second.flatMap((event) => (event.type === "assistant_message" ? [event.text] : [])).join("")).toBe(
    said.join(""),
  );
  expect(second.flatMap((event) => (event.type === "warning" ? [event.message] : []))).toEqual(warnings);
});
