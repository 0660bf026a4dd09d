import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../../../test/support/git-repository.ts";
import { standInAgent } from "../../../test/support/stand-in-agent.ts";
import { tempRepository } from "../../../test/support/temp-folder.ts";
import { newWorkOrder, runOrder } from "./run-order.ts";

const STRICT = "version: 1\nsandbox: strict\n";

test.each([
  ["of the user", { policy: STRICT, root: tempRepository }],
  [
    "of the workspace that the order names",
    { policy: undefined, root: () => repositoryWith({ ".signalbox/policy.yaml": STRICT }) },
  ],
])("an agent that cannot be contained is refused by the rules %s, before a run begins", async (_, { policy, root }) => {
  const { env, home, recorded } = standInAgent("amplifier");
  if (policy !== undefined) writeFileSync(join(home, ".signalbox/policy.yaml"), policy);
  const order = newWorkOrder("do it", { workspace: { root: root() } });
  const run = runOrder(order, {
    agent: "amplifier",
    cwd: tempRepository(),
    env: { ...env, SIGNALBOX_HOME: join(home, ".signalbox") },
  });
  await expect(run.result()).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining("a sandbox is required"),
  });
  expect([recorded(), existsSync(join(home, ".signalbox/runs"))]).toEqual([undefined, false]);
});

test.each([
  [{ rounds: 0 }, "rounds must be a whole number from 1 to 100"],
  [{ rounds: 1.5, accept: ["true"] }, "rounds must be a whole number from 1 to 100"],
  [{ rounds: 1e9, accept: ["true"] }, "rounds must be a whole number from 1 to 100"],
  [{ rounds: 2 }, "rounds need a check that decides whether the work is done"],
])("%j is refused before a run begins", async (options, message) => {
  const home = tempRepository();
  const env = { HOME: home, SIGNALBOX_HOME: join(home, ".signalbox"), PATH: process.env["PATH"] };
  await expect(runOrder("do it", { agent: "mock", cwd: home, env, ...options }).result()).rejects.toThrow(message);
});

test("a failed check goes back to the agent as often as the rounds say", async () => {
  const root = repositoryWith({ "a.txt": "a\n" });
  const home = tempRepository();
  const env = { HOME: home, SIGNALBOX_HOME: join(home, ".signalbox"), PATH: process.env["PATH"] };
  const vendor = { mock: { rounds: [[{ say: "done" }], [{ write: "made.txt", content: "" }, { say: "now" }]] } };
  const order = newWorkOrder("do it", { config: { vendor } });
  const run = runOrder(order, { agent: "mock", cwd: root, env, accept: ["test -e made.txt"], rounds: 3 });
  const { exitCode, facts, text } = await run.result();
  expect([exitCode, facts.acceptance.map(({ round }) => round), text]).toEqual([0, [1, 2], "now"]);
});
