import { expect, test } from "vitest";
import { withRateLimit } from "./agent-step.ts";
import type { AgentOutcome, AgentRequest } from "./run-parts.ts";

const REQUEST: AgentRequest = {
  prompt: "p",
  persona: undefined,
  model: undefined,
  backend: undefined,
  folder: "/",
  timeoutSeconds: undefined,
  maxBudgetUsd: undefined,
  step: "a",
};
const failed = (because: string): AgentOutcome => ({ ok: false, text: "", because, costUsd: 1, runId: "r" });
const done: AgentOutcome = { ok: true, text: "429 lines about the rate limit", because: "", costUsd: 1, runId: "r" };

async function asked(outcomes: readonly AgentOutcome[], env: Readonly<Record<string, string>>) {
  const said: string[] = [];
  let calls = 0;
  const once = async () => outcomes[calls++] ?? done;
  const run = withRateLimit(once, env, (text) => void said.push(text));
  return { outcome: await run(REQUEST, new AbortController().signal), calls, said };
}

const QUICK = { AMPLIHACK_RATELIMIT_BASE_DELAY_SECS: "0" };

test("a refused request is repeated, and all attempts are paid for", async () => {
  const { outcome, calls, said } = await asked([failed("HTTP 429"), failed("You hit your rate limit")], QUICK);
  expect([outcome, calls]).toEqual([{ ...done, costUsd: 3 }, 3]);
  expect(said).toEqual(Array(2).fill("a: the provider limits the rate of requests; trying again in 0 s"));
});

test("other failures and answers about rate limits are not, and there is an end", async () => {
  expect((await asked([failed("exit code 1")], QUICK)).calls).toBe(1);
  expect((await asked([done], QUICK)).calls).toBe(1);
  const always = Array<AgentOutcome>(10).fill(failed("too many requests"));
  expect((await asked(always, QUICK)).calls).toBe(6);
  expect((await asked(always, { ...QUICK, AMPLIHACK_RATELIMIT_MAX_RETRIES: "2" })).calls).toBe(3);
  expect((await asked(always, { ...QUICK, AMPLIHACK_RATELIMIT_MAX_RETRIES: "-1" })).calls).toBe(6);
});

test("an interrupted run does not wait", async () => {
  const controller = new AbortController();
  const run = withRateLimit(
    async () => {
      setImmediate(() => controller.abort());
      return failed("429");
    },
    {},
    () => {},
  );
  expect(await run(REQUEST, controller.signal)).toMatchObject({ ok: false, because: "429" });
});
