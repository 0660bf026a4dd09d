import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../../../test/support/git-repository.ts";
import { runOrder, runParts, workOrder } from "../../../test/support/run-order.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { newEvent } from "../../contract/agent-event.ts";
import { NO_USAGE } from "../../contract/receipt.ts";
import { mockHost } from "../../hosts/mock.ts";
import type { OpenHost } from "../host.ts";
import { findReceipt } from "../seal/find-receipt.ts";
import { verifyHome } from "../seal/verify-receipts.ts";
import type { RunEnd } from "./run-setup.ts";
import { runWorkOrder } from "./run-work-order.ts";

const CHECK = "echo looking; test -e made.txt";
const LIE = [{ usage: { input_tokens: 10, estimated_cost_usd: 1 } }, { say: "all done" }];
const WORK = [
  { usage: { input_tokens: 5, estimated_cost_usd: 0.5 } },
  { write: "made.txt", content: "m\n" },
  { say: "now" },
];
const attempts = ({ facts }: RunEnd) => facts.acceptance.map(({ round, exit_code: code }) => [round, code]);

test("an agent that lies first is told of the check, and its second try is accepted, in one run", async () => {
  const { steps, end, home } = await runOrder({ accept: [CHECK], rounds: 3, scripts: [LIE, WORK] });
  expect([end.exitCode, end.because, end.facts.verified]).toEqual([0, "done and accepted after 2 rounds", "accepted"]);
  expect(attempts(end)).toEqual([
    [1, 1],
    [2, 0],
  ]);
  expect(end.receipt.trace.map(({ type, ext }) => [type, ext?.["round"]])).toEqual([
    ["run_started", undefined],
    ["assistant_message", 1],
    ["assistant_message", 1],
    ["warning", 1],
    ["assistant_message", 2],
    ["tool_call", 2],
    ["tool_result", 2],
    ["assistant_message", 2],
    ["run_completed", undefined],
  ]);
  expect(end.receipt.trace[3]).toMatchObject({
    message: `round 1 of 3 not accepted: '${CHECK}' exited 1\nlooking`,
    ext: { rounds: 3, verified: "refused", usage: { input_tokens: 10 } },
  });
  expect(end.receipt.usage).toMatchObject({ input_tokens: 15, estimated_cost_usd: 1.5 });
  const shown = steps.flatMap((step) => (step.type === "event" ? [step.progress] : []));
  expect([shown.at(-1)?.turns, shown.at(-1)?.costUsd]).toEqual([3, 1.5]);
  expect([findReceipt(home, end.runId).statement.predicate.acceptance.length, verifyHome(home).findings]).toEqual([
    2,
    [],
  ]);
});

test("an agent that never does the work has as many tries as there are rounds, and the last check counts", async () => {
  const { end } = await runOrder({ accept: ["true", CHECK], rounds: 3, scripts: [[{ say: "done" }]] });
  expect([end.exitCode, end.because]).toEqual([
    4,
    `claimed done, not accepted after 3 rounds: '${CHECK}' exited 1\nlooking`,
  ]);
  const every = [1, 2, 3].flatMap((round) => [
    [round, 0],
    [round, 1],
  ]);
  expect(attempts(end)).toEqual(every);
});

test("with one round, nothing is marked and the check is not handed back", async () => {
  const { end } = await runOrder({ accept: [CHECK], scripts: [LIE, WORK] });
  expect([end.exitCode, attempts(end)]).toEqual([4, [[undefined, 1]]]);
  expect(end.receipt.trace.some(({ ext }) => ext?.["round"] !== undefined)).toBe(false);
});

test.each([
  ["dies", [{ say: "one" }, { crash: "gone" }], 7, "crashed"],
  ["says that it failed", [{ end: "failed" }], 1, "failed"],
  ["says that it did a part", [{ end: "partial" }], 1, "failed"],
])(
  "an agent that %s in the second round ends the run, and the first attempt is in the seal",
  async (_, second, exitCode, stopped) => {
    const { end, home } = await runOrder({ accept: [CHECK], rounds: 4, scripts: [LIE, second] });
    expect([end.exitCode, end.facts.stopped, end.facts.verified, attempts(end)]).toEqual([
      exitCode,
      stopped,
      "not_checked",
      [[1, 1]],
    ]);
    expect([end.receipt.usage.input_tokens, verifyHome(home).findings]).toEqual([10, []]);
  },
);

test("a call of the second round is denied and traced under an id of its own", async () => {
  const first = [{ write: "b.txt", content: "" }, { say: "done" }];
  const second = [{ write: "../outside.txt", content: "no" }, ...WORK];
  const root = repositoryWith({ "a.txt": "" });
  const { end } = await runOrder({ root, accept: [CHECK], rounds: 2, scripts: [first, second] });
  const calls = end.receipt.trace.flatMap((event) =>
    event.type === "tool_call" || event.type === "tool_result"
      ? [[event.type, event.tool_use_id, event.ext?.["round"]]]
      : [],
  );
  expect(calls).toEqual([
    ["tool_call", "mock-1", 1],
    ["tool_result", "mock-1", 1],
    ["tool_call", "mock-1#2", 2],
    ["tool_result", "mock-1#2", 2],
    ["tool_call", "mock-2#2", 2],
    ["tool_result", "mock-2#2", 2],
  ]);
  expect([end.exitCode, end.facts.guard.decisions, existsSync(join(root, "../outside.txt"))]).toEqual([
    0,
    { allow: 2, ask: 0, deny: 1 },
    false,
  ]);
});

/** A host that never asks about its calls, and counts them anew in each round. */
const unheld: OpenHost = async (place) => ({
  ...(await mockHost(process.env)(place)),
  async *run({ order, followUp }) {
    const round = followUp?.round ?? 1;
    yield newEvent({
      type: "tool_call",
      tool_name: "bash",
      tool_use_id: "item_0",
      input: { command: `echo ${round} ${order.id}` },
    });
    return { outcome: "complete", mode: "mapped", usage: NO_USAGE, usageRaw: null };
  },
});

test("a call that nobody was asked about is not hidden behind the same id of an earlier round", async () => {
  const { end } = await runOrder({
    accept: ["false"],
    rounds: 2,
    openHost: unheld,
  });
  expect(end.facts.guard.calls_not_held).toEqual(["bash item_0", "bash item_0#2"]);
});

const turns = (count: number) => Array.from({ length: count }, (_, turn) => ({ bash: `echo ${turn}` }));

test.each([
  ["turns, used up", { maxTurns: 2 }, [turns(2), WORK], "all 2 turns are used, and the check still fails"],
  ["turns", { maxTurns: 4 }, [turns(3), turns(3)], "more than 4 turns"],
  ["money", { maxBudgetUsd: 1.2 }, [LIE, WORK], "it cost $1.50, more than the limit of $1.20"],
  ["money, used up", { maxBudgetUsd: 1 }, [LIE, WORK], "all of the budget is used, and the check still fails"],
  ["time", { wallMs: 2000, graceMs: 100 }, [LIE, [{ wait_ms: 60_000 }]], "more than 2000 ms"],
])("the limit of %s holds for all rounds together", async (_, limits, scripts, because) => {
  const { end } = await runOrder({
    accept: [CHECK],
    rounds: 5,
    scripts,
    limits,
  });
  expect([end.exitCode, end.because, attempts(end)]).toEqual([5, because, [[1, 1]]]);
});

test("time that a check takes counts, so that no round begins after the time is up", async () => {
  const accept = ["sleep 1.5; false"];
  const limits = { wallMs: 1000 };
  const { end } = await runOrder({ accept, rounds: 5, scripts: [LIE], limits });
  expect([end.exitCode, end.because.slice(0, 17), end.facts.acceptance.length]).toEqual([5, "more than 1000 ms", 1]);
});

test("a flood of events is counted over all rounds", async () => {
  const scripts = [Array.from({ length: 6 }, () => ({ say: "x" }))];
  const limits = { maxEvents: 10 };
  const { end } = await runOrder({
    accept: [CHECK],
    rounds: 5,
    scripts,
    limits,
  });
  expect([end.exitCode, attempts(end)]).toEqual([7, [[1, 1]]]);
});

test("a tree that changes while it is checked goes back to the agent too", async () => {
  const accept = ["test -e stop || { touch stop; true; }"];
  const { end } = await runOrder({ accept, rounds: 2, scripts: [[{ say: "done" }]] });
  expect([end.exitCode, attempts(end)]).toEqual([
    0,
    [
      [1, 0],
      [2, 0],
    ],
  ]);
});

test("an interruption in the second round, or while its check runs, ends everything with a receipt", async () => {
  const mark = join(tempFolder(), "checking");
  const slow = `if test -e ${mark}; then touch ${mark}.2; sleep 60; else touch ${mark}; false; fi`;
  for (const [accept, second] of [
    [CHECK, [{ say: "two" }, { wait_ms: 60_000 }]],
    [slow, [{ say: "two" }]],
  ] as const) {
    const root = repositoryWith({ "a.txt": "" });
    const interrupt = new AbortController();
    const home = tempFolder();
    const parts = runParts({ root, home, accept: [accept], rounds: 3, signal: interrupt.signal });
    const order = workOrder({ root, scripts: [LIE, second] });
    let end: RunEnd | undefined;
    for await (const step of runWorkOrder(order, parts)) {
      if (step.type === "event" && step.event.type === "assistant_message" && step.event.text === "two") {
        if (accept === CHECK) interrupt.abort();
        else void until(() => existsSync(`${mark}.2`)).then(() => interrupt.abort());
      }
      if (step.type === "run-end") end = step;
    }
    expect([end?.exitCode, end?.facts.stopped, end?.facts.verified, end?.facts.acceptance[0]?.round]).toEqual([
      130,
      "interrupted",
      "not_checked",
      1,
    ]);
    expect(verifyHome(home).findings).toEqual([]);
  }
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
}

test("a caller who leaves in the second round finds a receipt with the first attempt", async () => {
  const root = repositoryWith({ "a.txt": "" });
  const home = tempFolder();
  const parts = runParts({ root, home, accept: [CHECK], rounds: 3 });
  for await (const step of runWorkOrder(workOrder({ root, scripts: [LIE, WORK] }), parts))
    if (step.type === "event" && step.event.ext?.["round"] === 2) break;
  const { predicate } = findReceipt(home, "last").statement;
  expect([predicate.stopped, predicate.verified, predicate.acceptance.map(({ round }) => round)]).toEqual([
    "interrupted",
    "not_checked",
    [1],
  ]);
});
