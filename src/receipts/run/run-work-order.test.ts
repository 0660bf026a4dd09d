import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everything, git, repositoryWith, writeFiles } from "../../../test/support/git-repository.ts";
import { runOrder, runParts, workOrder } from "../../../test/support/run-order.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { receiptHash } from "../seal/canonical-receipt.ts";
import { listReceipts, sealedCommit } from "../seal/find-receipt.ts";
import { runWorkOrder } from "./run-work-order.ts";

const kinds = (steps: readonly { readonly type: string; readonly event?: { readonly type: string } }[]) =>
  steps.map((step) => step.event?.type ?? step.type);

test("an order goes in, a sealed receipt comes out, and its trace is what was shown", async () => {
  const { steps, end } = await runOrder({ script: [{ write: "made.txt", content: "m\n" }, { say: "done" }] });
  expect(kinds(steps)).toEqual([
    "run-start",
    "run_started",
    "tool_call",
    "tool_result",
    "assistant_message",
    "run_completed",
    "run-end",
  ]);
  expect(end.receipt.trace).toEqual(steps.flatMap((step) => (step.type === "event" ? [step.event] : [])));
  expect(end.receipt.receipt_sha256).toBe(receiptHash({ ...end.receipt, receipt_sha256: null }));
  expect([end.exitCode, end.receipt.outcome, end.receipt.verification.git_status]).toEqual([
    0,
    "complete",
    "A  made.txt\n",
  ]);
  expect(end.receipt.verification.git_diff).toContain("+++ b/made.txt");
  expect(end.facts).toMatchObject({
    stopped: "answered",
    claimed: true,
    verified: "not_checked",
    guard: { decisions: { allow: 1, ask: 0, deny: 0 }, held: true, calls_not_held: [] },
  });
});

test("a claim that the acceptance check does not bear out is exit 4, and an honest one is 0", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const accept = ["test -e made.txt"];
  const liar = await runOrder({ root, accept, script: [{ say: "all done" }] });
  expect([liar.end.exitCode, liar.end.receipt.outcome, liar.end.facts.claimed, liar.end.facts.verified]).toEqual([
    4,
    "failed",
    true,
    "refused",
  ]);
  const honest = await runOrder({ root, accept, script: [{ write: "made.txt", content: "" }] });
  expect([honest.end.exitCode, honest.end.receipt.outcome, honest.end.facts.verified]).toEqual([
    0,
    "complete",
    "accepted",
  ]);
  expect(honest.end.facts.acceptance).toEqual([
    { command: "test -e made.txt", exit_code: 0, tree: honest.end.facts.tree },
  ]);
});

test.each([
  ["says that it is done", "accepted", [{ say: "done" }]],
  ["says that it failed", "not_checked", [{ end: "failed" }]],
  ["says that it did a part", "not_checked", [{ end: "partial" }]],
  ["dies", "not_checked", [{ crash: "gone" }]],
])("the work of an agent that %s is %s by the acceptance check", async (_, verified, script) => {
  const mark = join(tempFolder(), "ran");
  const { end } = await runOrder({ accept: [`touch ${mark}`], script });
  expect([end.facts.verified, end.facts.acceptance.length, existsSync(mark)]).toEqual(
    verified === "accepted" ? [verified, 1, true] : [verified, 0, false],
  );
});

test("a tree that changes while it is checked is stale", async () => {
  const { end } = await runOrder({ accept: ["echo edited after the work >> a.txt"], script: [{ say: "done" }] });
  expect([end.exitCode, end.facts.verified]).toEqual([4, "stale"]);
});

test("an agent that is denied and gives up is exit 3; one that finds another way is 0", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const outside = { write: "../outside.txt", content: "no" };
  const gaveUp = await runOrder({ root, script: [outside, { say: "I could not" }] });
  expect([gaveUp.end.exitCode, gaveUp.end.facts.stopped, gaveUp.end.receipt.outcome]).toEqual([3, "denied", "partial"]);
  expect(existsSync(join(root, "../outside.txt"))).toBe(false);
  expect(gaveUp.end.facts.guard.decisions).toEqual({ allow: 0, ask: 0, deny: 1 });
  expect(gaveUp.end.receipt.trace.slice(1, 4)).toMatchObject([
    { type: "tool_call", tool_name: "write", tool_use_id: "mock-1", input: { path: "../outside.txt", content: "no" } },
    { type: "warning", message: expect.stringContaining("tool denied: ") },
    { type: "tool_result", tool_use_id: "mock-1", output: { denied: true }, is_error: true },
  ]);
  const other = await runOrder({ root, script: [outside, { write: "inside.txt", content: "yes" }] });
  expect(other.end.exitCode).toBe(0);
});

test.each([
  ["by ..", { call: "edit", input: { path: "../x" } }],
  ["in a nested field", { call: "edit", input: { changes: [{ deep: { file_path: "/etc/x" } }] } }],
  ["by a link", { write: "way/x", content: "" }],
  ["that does not exist yet", { write: "/opt/no/such/file", content: "" }],
  ["with a denied host", { call: "fetch", input: { url: "https://evil.example.com/x" } }],
])("a call that leads out %s is denied", async (_, step) => {
  const root = repositoryWith({ "a.txt": "" });
  symlinkSync("/etc", join(root, "way"));
  const { end } = await runOrder({ root, script: [step], policy: { deny_network: ["evil.example.com"] } });
  expect([end.exitCode, end.facts.guard.decisions]).toEqual([3, { allow: 0, ask: 0, deny: 1 }]);
});

test("the order's rules hold: tools, paths, approvals that nobody can give", async () => {
  const root = repositoryWith({ "secret.pem": "s\n", "a.txt": "a\n" });
  const policy = { deny_read: ["*.pem"], disallowed_tools: ["write"], require_approval_for: ["bash"] };
  const script = [{ read: "secret.pem" }, { write: "b.txt", content: "" }, { bash: "touch c.txt" }, { read: "a.txt" }];
  const { end } = await runOrder({ root, policy, script });
  expect(end.facts.guard.decisions).toEqual({ allow: 1, ask: 0, deny: 3 });
  expect(end.receipt.verification.git_status).toBe("");
});

test("an order cannot widen what the machine allows", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const parts = runParts({ root });
  const policy = { ...parts.policy, tools: { ...parts.policy.tools, allow: ["read"], otherwise: "deny" as const } };
  const order = workOrder({ root, policy: { allowed_tools: ["write"] }, script: [{ write: "b.txt", content: "" }] });
  const steps = await Array.fromAsync(runWorkOrder(order, { ...parts, policy }));
  expect(steps.at(-1)).toMatchObject({ exitCode: 3 });
});

test.each([
  ["turns", { maxTurns: 2 }, Array.from({ length: 5 }, (_, turn) => ({ bash: `echo ${turn}` })), 5, "limit"],
  ["budget", { maxBudgetUsd: 1 }, [{ usage: { estimated_cost_usd: 2 } }, { wait_ms: 60_000 }], 5, "limit"],
  ["silence", { idleMs: 200, graceMs: 100 }, [{ wait_ms: 60_000 }], 5, "limit"],
  ["time", { wallMs: 200, graceMs: 100 }, [{ say: "a" }, { wait_ms: 60_000 }], 5, "limit"],
  ["repetition", { maxRepeats: 5 }, Array.from({ length: 9 }, () => ({ bash: "echo same" })), 6, "no_progress"],
  ["flood", { maxEvents: 10 }, Array.from({ length: 30 }, () => ({ say: "x" })), 7, "crashed"],
])("too much %s ends the run", async (_, limits, script, exitCode, stopped) => {
  const { end } = await runOrder({ limits, script });
  expect([end.exitCode, end.facts.stopped, end.receipt.trace.some(({ type }) => type === "error")]).toEqual([
    exitCode,
    stopped,
    true,
  ]);
});

test("a host that dies leaves a receipt with what was seen, and exit 7", async () => {
  const { end } = await runOrder({
    script: [{ say: "one" }, { crash: "gone" }],
  });
  expect([end.exitCode, end.receipt.outcome, end.because]).toEqual([7, "failed", "gone"]);
  expect(kinds(end.receipt.trace.map((event) => ({ type: "event", event })))).toEqual([
    "run_started",
    "assistant_message",
    "error",
    "run_completed",
  ]);
});

test("requirements that the host does not meet are named all at once", async () => {
  const required = [
    { capability: "vision", min_support: "any" },
    { capability: "streaming", min_support: "native" },
    { capability: "audio", min_support: "emulated" },
  ] as const;
  const { end } = await runOrder({ root: tempFolder(), required: [...required] });
  expect([end.exitCode, end.because]).toEqual([
    1,
    "the host does not meet: vision (needs any, has nothing), audio (needs emulated, has nothing)",
  ]);
});

test("an interruption ends the run as 130, with a receipt", async () => {
  const interrupt = new AbortController();
  const root = repositoryWith({ "a.txt": "" });
  const parts = runParts({ root, signal: interrupt.signal });
  const kindsSeen: string[] = [];
  let code: number | undefined;
  for await (const step of runWorkOrder(workOrder({ root, script: [{ say: "hi" }, { wait_ms: 60_000 }] }), parts)) {
    kindsSeen.push(step.type);
    if (step.type === "event" && step.event.type === "assistant_message") interrupt.abort();
    if (step.type === "run-end") code = step.exitCode;
  }
  expect([code, kindsSeen.at(-1)]).toEqual([130, "run-end"]);
});

test("large output becomes an artifact that outlives a staged workspace, and secrets leave no trace", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const token = `ghp_${"a1B2".repeat(9)}`;
  const script = [
    { bash: "seq 1 5000" },
    { bash: `printf '%s' ghp_ > t; printf '%s' ${"a1B2".repeat(9)} >> t; cat t; rm t` },
    { write: "made.txt", content: "m\n" },
  ];
  const { end } = await runOrder({ root, staged: true, script });
  const [artifact] = end.facts.artifacts;
  const text = readFileSync(join(root, artifact?.path ?? ""), "utf8");
  expect([text.startsWith("1\n2\n"), Buffer.byteLength(text)]).toEqual([true, artifact?.size]);
  expect(JSON.stringify(end.receipt)).not.toContain(token);
  expect(existsSync(join(tmpdir(), `signalbox-stage-${end.runId}`))).toBe(false);
  expect(existsSync(join(root, "made.txt"))).toBe(false);
  expect(readFileSync(end.patch ?? "", "utf8")).toContain("+m");
  expect(git(root, "status", "--porcelain")).toBe("");
});

test("the person's repository is byte for byte the same after a run in place that only adds a file", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  writeFiles(root, { "staged.txt": "s\n" });
  git(root, "add", "staged.txt");
  const untouched = everything(join(root, ".git"));
  await runOrder({ root, script: [{ write: "made.txt", content: "m\n" }] });
  expect(everything(join(root, ".git"))).toEqual(untouched);
});

test("a second run in the same folder is refused while the first goes on, a staged one is not", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const home = tempFolder();
  const first = runWorkOrder(workOrder({ root, script: [{ wait_ms: 60_000 }] }), runParts({ root, home }));
  await first.next();
  await expect(runOrder({ root, home })).rejects.toMatchObject({ exitCode: 3 });
  const staged = await runOrder({ root, home, staged: true });
  expect(staged.end.exitCode).toBe(0);
  await first.return(undefined);
  expect((await runOrder({ root, home })).end.exitCode).toBe(0);
});

test.each([
  ["a half order", { task: "x" }],
  ["a bad pattern", { policy: { deny_read: ["["] } }],
  ["a bad host", { policy: { allow_network: ["http://x"] } }],
  ["a lift", { policy: { deny_write: ["!**/.git/**"] } }],
  ["a variable that switches rules off", { env: { SIGNALBOX_HOME: "/tmp/other" } }],
  ["a variable that loads code", { env: { LD_PRELOAD: "/tmp/x.so" } }],
  ["a folder that is not there", { workspace: { root: "/no/such/folder" } }],
])("%s is refused before anything happens", async (_, change) => {
  const root = tempFolder();
  const parts = runParts({ root });
  const whole = workOrder({ root });
  const order =
    "task" in change
      ? change
      : {
          ...whole,
          policy: { ...whole.policy, ...("policy" in change ? change.policy : {}) },
          config: { ...whole.config, ...("env" in change ? { env: change.env } : {}) },
          workspace: { ...whole.workspace, ...("workspace" in change ? change.workspace : {}) },
        };
  await expect(runWorkOrder(order, parts).next()).rejects.toMatchObject({ name: "UserError", exitCode: 2 });
  expect(existsSync(join(parts.home, "runs"))).toBe(false);
});

test.each([
  ["in place", false],
  ["on a copy", true],
])("a run %s names the commit that it ended on, if it made one in the workspace", async (_, staged) => {
  const [root, home] = [repositoryWith({ "a.txt": "a\n" }), tempFolder()];
  const commit = "git add -A && git -c user.name=a -c user.email=a@a commit -qm made";
  const script = [{ write: "made.txt", content: "m\n" }];
  const { end } = await runOrder({ root, home, staged, script, accept: [commit] });
  expect(end.facts.verified).toBe("accepted");
  const [seal] = listReceipts(home);
  const named = seal === undefined ? undefined : sealedCommit(seal.statement);
  expect(named).toBe(staged ? undefined : git(root, "rev-parse", "HEAD").trim());
});
