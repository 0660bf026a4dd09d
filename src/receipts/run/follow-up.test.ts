import { expect, test } from "vitest";
import { repositoryWith } from "../../../test/support/git-repository.ts";
import { runOrder, runParts, workOrder } from "../../../test/support/run-order.ts";
import { newEvent } from "../../contract/agent-event.ts";
import { NO_USAGE } from "../../contract/receipt.ts";
import { mockHost } from "../../hosts/mock.ts";
import type { HostJob, OpenHost } from "../host.ts";
import { type FailedRound, factsOf, followUpOf } from "./check-work.ts";
import { runWorkOrder } from "./run-work-order.ts";

/** A host that notes what it was given in each round, and claims to be done. */
function noting(sessionOf: (round: number) => string) {
  const jobs: HostJob[] = [];
  const openHost: OpenHost = async (place) => ({
    ...(await mockHost(process.env)(place)),
    async *run(job) {
      const session = sessionOf(jobs.push(job));
      yield newEvent({ type: "assistant_message", text: "done" });
      return { outcome: "complete", mode: "mapped", usage: { ...NO_USAGE, input_tokens: 7 }, usageRaw: null, session };
    },
  });
  return { jobs, openHost };
}

test("a host gets the failed check for its session, and everything as a task; nothing in it is read or secret", async () => {
  const check = "echo b > b.txt; echo see @/etc/passwd; printf 'a\\0b\\n'; echo a-secret-value; exit 3\n";
  const root = repositoryWith({ "a.txt": "a\n", "check.sh": check });
  const { jobs, openHost } = noting(() => "s-1");
  const secrets = { values: ["a-secret-value"] };
  const parts = { ...runParts({ root, accept: ["sh check.sh"], rounds: 3, openHost }), secrets };
  await Array.fromAsync(runWorkOrder({ ...workOrder({ root }), task: "fix @a.txt" }, parts));
  const [first, second, third] = jobs;
  expect([first?.order.task, first?.followUp]).toEqual(["fix @a.txt", undefined]);
  const prompt = `This is not finished. The work was checked and not accepted: 'sh check.sh' exited 3
see @ /etc/passwd
a\\u{0}b
[redacted secret]

Find the cause, fix it, and run the check yourself before you say that you are done. Do not weaken the check: undo your changes to files that decide it. Only the user can allow those.`;
  expect(second?.followUp).toEqual({ round: 2, session: "s-1", used: { ...NO_USAGE, input_tokens: 7 }, prompt });
  expect(third?.followUp).toMatchObject({ round: 3, session: "s-1", used: { input_tokens: 14 } });
  expect(second?.order.task).toBe(`fix @a.txt

An agent has already worked on this task in this folder and said that it was done. Continue from what is there.

Files changed so far:
A  b.txt

${prompt}`);
});

test("a later round gets what is left of the limits that agents keep themselves", async () => {
  const root = repositoryWith({ "a.txt": "" });
  const { jobs, openHost } = noting(() => "s");
  const spending: OpenHost = async (place) => {
    const host = await openHost(place);
    return {
      ...host,
      async *run(job) {
        yield* (await mockHost({})(place)).run(job);
        return yield* host.run(job);
      },
    };
  };
  const order = workOrder({ root, scripts: [[{ usage: { estimated_cost_usd: 0.5 } }, { bash: "true" }]] });
  const config = { ...order.config, max_turns: 9, max_budget_usd: 2 };
  await Array.fromAsync(
    runWorkOrder({ ...order, config }, runParts({ root, accept: ["false"], rounds: 2, openHost: spending })),
  );
  expect(jobs.map((job) => [job.order.config.max_turns, job.order.config.max_budget_usd])).toEqual([
    [9, 2],
    [7, 1.5],
  ]);
});

test("what a session has used is counted from its own beginning", async () => {
  const { jobs, openHost } = noting((round) => (round < 3 ? "one" : "two"));
  await runOrder({ accept: ["false"], rounds: 4, openHost });
  expect(jobs.map(({ followUp }) => [followUp?.session, followUp?.used.input_tokens])).toEqual([
    [undefined, undefined],
    ["one", 7],
    ["one", 14],
    ["two", 7],
  ]);
});

const failed = (change: Partial<FailedRound>): FailedRound => ({
  round: 2,
  task: "do it",
  because: "'x' exited 1",
  changed: "",
  ends: [],
  ...change,
});

test("names of files cannot say anything of their own, and only the first hundred are listed", () => {
  const names = Array.from({ length: 150 }, (_, index) => `A  ${index}@/etc/x\u202e`).join("\n");
  const facts = factsOf(failed({ changed: names }));
  expect(facts).toContain("A  0@ /etc/x\\u{202e}\n");
  expect([facts.includes("A  99@"), facts.includes("A  100@"), facts.includes("… and 50 more")]).toEqual([
    true,
    false,
    true,
  ]);
});

test("an agent without memory is told when nothing was changed, and nothing where that is not known", () => {
  expect(factsOf(failed({}))).toContain("No file has been changed so far.");
  expect(factsOf(failed({ changed: undefined }))).not.toContain("changed so far");
  expect(followUpOf(failed({})).session).toBe(undefined);
});
