import { expect, test } from "vitest";
import { decideOutcome } from "./build-receipt.ts";

type Seen = Parameters<typeof decideOutcome>[0];

const DONE: Seen = {
  stop: undefined,
  outcome: "complete",
  verified: "not_checked",
  notAccepted: undefined,
  lastDenied: false,
  lastError: undefined,
};
const limit = { stopped: "limit", because: "2 turns" } as const;

test.each<readonly [string, Partial<Seen>, readonly [number, string, string, string]]>([
  ["the agent says so, and nothing was checked", {}, [0, "complete", "answered", "done"]],
  ["its check passed", { verified: "accepted" }, [0, "complete", "answered", "done and accepted"]],
  [
    "its check passed, although it was denied",
    { verified: "accepted", lastDenied: true },
    [0, "complete", "answered", "done and accepted"],
  ],
  [
    "its check passed, although there were errors",
    { verified: "accepted", lastError: "slow" },
    [0, "complete", "answered", "done and accepted"],
  ],
  [
    "a call was denied in the end",
    { lastDenied: true },
    [3, "partial", "denied", "a call was blocked, and the agent did nothing after that"],
  ],
  [
    "a check failed",
    { verified: "refused", notAccepted: "npm test: exit code 1" },
    [4, "failed", "answered", "claimed done, not accepted: npm test: exit code 1"],
  ],
  [
    "a check failed after a denial",
    { verified: "refused", lastDenied: true },
    [4, "failed", "answered", "claimed done, not accepted: refused"],
  ],
  ["a check is stale", { verified: "stale" }, [4, "failed", "answered", "claimed done, not accepted: stale"]],
  [
    "it was denied and claims nothing",
    { outcome: "partial", lastDenied: true, verified: "refused" },
    [3, "partial", "denied", "a call was blocked, and the agent did nothing after that"],
  ],
  [
    "it claims to be done after an error",
    { lastError: "no key" },
    [1, "partial", "failed", "claimed done, but an error was reported: no key"],
  ],
  ["it says that it failed", { outcome: "failed" }, [1, "failed", "failed", "the agent reported: failed"]],
  [
    "it failed with an error",
    { outcome: "failed", lastError: "no key" },
    [1, "failed", "failed", "the agent failed: no key"],
  ],
  ["it says nothing", { outcome: undefined }, [1, "partial", "failed", "the agent reported: nothing"]],
  ["we stopped it", { stop: limit, verified: "accepted", lastDenied: true }, [5, "partial", "limit", "2 turns"]],
  ["it crashed", { stop: { stopped: "crashed", because: "gone" } }, [7, "failed", "crashed", "gone"]],
  [
    "it could not start",
    { stop: { stopped: "failed", because: "not there", exitCode: 127 } },
    [127, "failed", "failed", "not there"],
  ],
])("when %s", (_, seen, [exitCode, outcome, stopped, because]) => {
  const observed = { ...DONE, ...seen };
  expect(decideOutcome(observed)).toEqual({
    exitCode,
    outcome,
    stopped,
    because,
    claimed: observed.outcome === "complete",
  });
});
