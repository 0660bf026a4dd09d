import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../../../test/support/git-repository.ts";
import { runParts, workOrder } from "../../../test/support/run-order.ts";
import { NO_USAGE } from "../../contract/receipt.ts";
import type { OpenHost } from "../host.ts";
import type { OnApproval, RunEnd } from "./run-setup.ts";
import { runWorkOrder } from "./run-work-order.ts";

/** Runs a write of `made.txt`, which needs approval, and a denied write outside. */
async function runAsking(onApproval: OnApproval | undefined, openHost?: OpenHost) {
  const root = repositoryWith({ "a.txt": "a\n" });
  const script = [
    { write: "/etc/made.txt", content: "" },
    { write: "made.txt", content: "m\n" },
  ];
  const given = { root, script, policy: { require_approval_for: ["write"] }, ...(openHost ? { openHost } : {}) };
  let end: RunEnd | undefined;
  for await (const step of runWorkOrder(workOrder(given), { ...runParts(given), onApproval }))
    if (step.type === "run-end") end = step;
  const { decisions, calls_not_held } = end?.facts.guard ?? {};
  const answers = end?.receipt.trace.flatMap(({ ext }) => (ext?.["approval"] === undefined ? [] : [ext["approval"]]));
  return { written: existsSync(join(root, "made.txt")), decisions, calls_not_held, answers };
}

test("a call that needs approval runs when the caller approves it, and the receipt says so", async () => {
  const requests: unknown[] = [];
  const approved = await runAsking(async (request) => {
    requests.push([request.tool, request.input]);
    return true;
  });
  expect(approved).toEqual({
    written: true,
    decisions: { allow: 1, ask: 1, deny: 1 },
    calls_not_held: [],
    answers: [{ tool: "write", tool_use_id: "mock-2", approved: true }],
  });
  // What the rules deny is never asked about.
  expect(requests).toEqual([["write", { path: "made.txt", content: "m\n" }]]);
});

test.each<[string, OnApproval | undefined]>([
  ["nobody answers", undefined],
  ["the caller says no", () => false],
  [
    "the caller fails",
    () => {
      throw new Error("no answer");
    },
  ],
])("a call that needs approval does not run when %s", async (_, onApproval) => {
  const { written, decisions } = await runAsking(onApproval);
  expect([written, decisions?.allow]).toEqual([false, 0]);
});

test("a host that cannot wait for an answer gets a denial, never a question", async () => {
  const verdicts: string[] = [];
  const host: OpenHost = async () => ({
    backend: { id: "h", backend_version: null, adapter_version: null },
    capabilities: {},
    agent: { name: "h", version: null, binary_sha256: null },
    holds: true,
    // oxlint-disable-next-line require-yield
    async *run(job) {
      verdicts.push(job.decide({ tool: "write", input: { path: "made.txt" } }).verdict);
      return { outcome: "complete", mode: "mapped", usage: NO_USAGE, usageRaw: null };
    },
    async [Symbol.asyncDispose]() {},
  });
  await runAsking(() => true, host);
  expect(verdicts).toEqual(["deny"]);
});
